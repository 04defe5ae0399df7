"""Measuring one way to run a model beside eager, in turns, so that both see the same moments of the
machine."""

import contextlib
import copy
import math
import statistics
import time

import torch

from compiling.subject import PRECISIONS, tensors_of, to_type
from compiling.ways import Unsupported, compiled, counted

# Of an answer in each precision: 1 - cosine at most, and the root mean square of the difference
# over that of the reference at most. docs/measuring.md, "Accuracy".
TOLERANCES = {"fp32": (1e-6, 1e-3), "fp16": (1e-3, 3e-2), "bf16": (1e-2, 1e-1), "amp": (1e-2, 1e-1)}
GRADIENTS = {"fp32": (5e-3, 1e-1), "fp16": (1e-2, 1e-1), "bf16": (5e-2, 3e-1), "amp": (5e-2, 3e-1)}
LEAST_SAMPLE_S = 0.005
WARM_UP = 3


class Wrong(Exception):
    """The answer is not the reference's."""


class Step:
    """One call of a way to run the model: a forward pass, in training also the backward pass of the
    mean square of what comes out."""

    def __init__(self, run, module, inputs, options):
        self.run, self.module, self.inputs = run, module, inputs
        self.trains = options.mode == "train"
        self.device = options.device
        self.autocast = options.precision == "amp"

    def __call__(self):
        where = torch.autocast(self.device.split(":")[0], torch.bfloat16) \
            if self.autocast else contextlib.nullcontext()
        if not self.trains:
            with torch.no_grad(), where:
                return self.run(*self.inputs)
        self.module.zero_grad(set_to_none=True)
        with where:
            answer = self.run(*self.inputs)
            loss = sum((tensor.float() ** 2).mean() for tensor in tensors_of(answer)
                       if tensor.is_floating_point())
        loss.backward()
        return answer

    def wait(self):
        if self.device.startswith("cuda"):
            torch.cuda.synchronize()


def build(subject, options, batch=None):
    """The module and its inputs on the device, from the seed."""
    torch.manual_seed(options.seed)
    module, inputs = subject.make(batch or subject.batch)
    module.train(options.mode == "train")
    dtype = PRECISIONS.get(options.precision, torch.float32)
    return module.to(options.device, dtype), to_type(inputs, options.device, dtype)


def timed(step, calls):
    """@return wall and CPU nanoseconds of one call"""
    step.wait()
    wall, cpu = time.perf_counter_ns(), time.process_time_ns()
    for _ in range(calls):
        step()
    step.wait()
    return (time.perf_counter_ns() - wall) / calls, (time.process_time_ns() - cpu) / calls


def calls_for(step):
    """So many calls that a sample is long enough for the clock."""
    for _ in range(WARM_UP):
        step()
    once_s = timed(step, 1)[0] / 1e9
    return max(1, min(1000, math.ceil(LEAST_SAMPLE_S / max(once_s, 1e-9))))


def in_turns(steps, options):
    """The steps change places turn by turn.
    @return for each step its samples: wall and CPU nanoseconds"""
    calls = [calls_for(step) for step in steps]
    samples = [([], []) for _ in steps]
    end = time.monotonic() + options.min_time
    turn = 0
    while turn < options.samples or time.monotonic() < end:
        order = range(len(steps)) if turn % 2 == 0 else reversed(range(len(steps)))
        for place in order:
            wall, cpu = timed(steps[place], calls[place])
            samples[place][0].append(wall)
            samples[place][1].append(cpu)
        turn += 1
    return samples


def peak_bytes(step):
    """The most memory that one call has: of the GPU where it runs there, else of the process.
    None where the kernel does not say."""
    if step.device.startswith("cuda"):
        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()
        step()
        torch.cuda.synchronize()
        return torch.cuda.max_memory_allocated()
    try:
        with open("/proc/self/clear_refs", "w") as refs:
            refs.write("5")
        step()
        with open("/proc/self/status") as status:
            return next(int(line.split()[1]) << 10 for line in status if line.startswith("VmHWM"))
    except (OSError, StopIteration, ValueError):
        return None


def mean_size(tensor):
    """Root mean square."""
    return (tensor.double().norm() / max(tensor.numel(), 1) ** 0.5).item()


def distance(answer, reference, least=0.0):
    """1 - cosine, and the root mean square of the difference over the reference's. Of a reference
    below `least`, such as the gradient of a bias in front of a norm, which is zero in theory, only
    the difference counts, over `least`."""
    if mean_size(reference) < least:
        return 0.0, mean_size(answer.double() - reference.double()) / least
    answer, reference = answer.double().flatten(), reference.double().flatten()
    size = reference.norm().item()
    if size == 0:
        return (0.0, 0.0) if answer.norm().item() == 0 else (1.0, math.inf)
    length = answer.norm().item()
    cosine = (answer @ reference).item() / (size * length) if length else 0.0
    return 1 - cosine, (answer - reference).norm().item() / size


def check_one(name, answer, reference, allowed, far, least=0.0):
    """Raises Wrong. @param far  how far eager itself is from the reference, or None"""
    if answer.shape != reference.shape:
        raise Wrong(f"{name} has the shape {list(answer.shape)}, not {list(reference.shape)}")
    if not answer.is_floating_point():
        if not torch.equal(answer, reference):
            raise Wrong(f"{name} differs")
        return
    for what, seen in (("NaN", torch.isnan), ("infinity", torch.isinf)):
        if seen(answer).any() and not seen(reference).any():
            raise Wrong(f"{name} has {what}, eager has none")
    apart = distance(answer, reference, least)
    if any(math.isnan(one) for one in apart):
        return  # the reference has such values, too
    widened = [max(most, 1.5 * own) for most, own in zip(allowed, far or (0, 0))]
    if apart[0] > widened[0] or apart[1] > widened[1]:
        raise Wrong(f"{name} differs: 1 - cosine is {apart[0]:.2g} (at most {widened[0]:.2g}), "
                    f"the difference {apart[1]:.2g} of its size (at most {widened[1]:.2g})")


def answers_of(step):
    """Outputs, and in training gradients by their parameters' names."""
    outputs = [tensor.detach().clone() for tensor in tensors_of(step())]
    gradients = {}
    if step.trains:
        gradients = {name: one.grad.detach().clone()
                     for name, one in step.module.named_parameters() if one.grad is not None}
    return outputs, gradients


def reference_of(subject, options):
    """The same in float64 and eager; None and the reason where that does not run."""
    double = copy.copy(options)
    double.precision = "fp64"
    try:
        module, inputs = build(subject, options)
        module = module.double()
        inputs = to_type(inputs, options.device, torch.float64)
        return answers_of(Step(module, module, inputs, double)), ""
    except (RuntimeError, TypeError, NotImplementedError) as error:
        return None, "in float64: " + " ".join(str(error).split())[:150]


def check_answers(run, eager, subject, options):
    """Held against the same in float64, where eager itself may be as far off. Raises Wrong.
    @return what "accuracy" says"""
    state = copy.deepcopy(eager.module.state_dict())
    found = []
    for step in (run, eager):
        step.module.load_state_dict(state)
        torch.manual_seed(options.seed)
        found.append(answers_of(step))
    (outputs, gradients), plain = found
    reference, why = reference_of(subject, options)
    truth = reference or plain
    if len(outputs) != len(truth[0]):
        raise Wrong(f"it has {len(outputs)} outputs, eager has {len(truth[0])}")

    def far(own, true, least=0.0):
        return distance(own, true, least) if reference and own.is_floating_point() else None

    for place, (answer, own, true) in enumerate(zip(outputs, plain[0], truth[0])):
        check_one(f"output {place}", answer, true, TOLERANCES[options.precision], far(own, true))
    least = 1e-3 * max((mean_size(true) for true in truth[1].values()), default=0.0)
    for name, true in truth[1].items():
        if name not in gradients:
            raise Wrong(f"{name} has no gradient, in eager it has")
        check_one(f"the gradient of {name}", gradients[name], true,
                  GRADIENTS[options.precision], far(plain[1][name], true, least), least)
    said = {"compared_with": "float64" if reference else "eager"}
    if why:
        said["note"] = why
    return said


def compile_and_call(step):
    """@return nanoseconds of the first call, and of all that the first two took more than usual"""
    step.wait()
    calls = []
    for _ in range(2):
        calls.append(timed(step, 1)[0])
    usual = min(timed(step, 1)[0] for _ in range(WARM_UP))  # a busy machine only makes it longer
    return calls[0], max(sum(calls) - 2 * usual, 0.0)


def second_batch(way, subject, module, run, options):
    """What a batch of another size takes more when it comes first, and the graphs it makes."""
    if not subject.takes_batch:
        return {"absent": "the model takes no other batch"}
    before = counted(torch)
    _, inputs = build(subject, options, subject.batch + 2)
    _, took = compile_and_call(Step(run, module, inputs, options))
    after = counted(torch)
    graphs = after["graphs"] - before["graphs"] if before and after else None
    return {"value": took, "graphs": graphs}


def measure(way, subject, options):
    """@return a dict of all that was seen. Raises Unsupported, Wrong, or what torch raises."""
    if options.device.startswith("cuda") and not torch.cuda.is_available():
        raise Unsupported("there is no GPU, or this torch is built without CUDA")
    torch.set_num_threads(options.threads)
    module, inputs = build(subject, options)
    eager = Step(module, module, inputs, options)
    eager()
    seen = {"eager_peak": peak_bytes(eager)}
    run = compiled(torch, module, way)
    if way == "eager":
        [own] = in_turns([eager], options)
        seen.update(own=own, peak=seen["eager_peak"])
        return seen
    step = Step(run, module, inputs, options)
    seen["first"], seen["compile"] = compile_and_call(step)
    seen["counted"] = counted(torch)
    seen["accuracy"] = check_answers(step, eager, subject, options)
    seen["plain"], seen["own"] = in_turns([eager, step], options)
    seen["peak"] = peak_bytes(step)
    if way == "dynamic":
        seen["second"] = second_batch(way, subject, module, run, options)
    return seen
