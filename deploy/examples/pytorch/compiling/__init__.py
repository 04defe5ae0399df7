"""What compile_bench.py is made of. It needs Python 3.8 and torch, nothing else."""
