"""What was measured, as the line that vigil-bench prints (docs/measuring.md), and as a table."""

import platform
import statistics

from compiling.codes import absent, metric
from compiling.interval import interval_of
from compiling.ways import ALL_WAYS, way_words

HIGHER = "higher_is_better"
MIB = 1 << 20


def introduction(way, options, torch_version="", subject=None):
    """What every line says, whatever came of the run."""
    backend, setting = way_words(way)
    info = {"program": "compile_bench", "model": subject.name if subject else options.model,
            "mode": options.mode, "device": options.device, "precision": options.precision,
            "backend": backend, "threads": options.threads, "processes": 1,
            "machine": platform.machine(), "python": platform.python_version()}
    if setting:
        info["setting"] = setting
    if torch_version:
        info["torch_version"] = torch_version
    if subject:
        info.update(batch=subject.batch)
        if subject.domain:
            info["domain"] = subject.domain
    return info


def comparison(plain, own):
    """Speedups over eager: the median of the ratios turn by turn, with its interval."""
    said = {"base": "eager", "turns": len(own[0])}
    for place, name in ((0, "speedup"), (1, "cpu_speedup")):
        ratios = [other / mine for other, mine in zip(plain[place], own[place]) if mine > 0]
        if ratios:
            said[name], said[f"{name}_low"], said[f"{name}_high"] = interval_of(ratios)
    return said


def compile_metrics(seen):
    metrics = {"compile_time_ns": metric(seen["compile"], "ns"),
               "first_step_ns": metric(seen["first"], "ns")}
    told = seen["counted"]
    if told:
        metrics["graphs"] = metric(told["graphs"], "")
        metrics["graph_breaks"] = metric(told["breaks"], "")
    else:
        for name in ("graphs", "graph_breaks"):
            metrics[name] = absent("this torch does not count them", "")
    second = seen.get("second")
    if second and "absent" in second:
        metrics["second_batch_compile_ns"] = absent(second["absent"], "ns")
    elif second:
        metrics["second_batch_compile_ns"] = metric(second["value"], "ns")
        if second["graphs"] is not None:
            metrics["second_batch_graphs"] = metric(second["graphs"], "")
    return metrics


def passed_line(way, options, subject, torch_version, seen):
    info = introduction(way, options, torch_version, subject)
    wall, cpu = seen["own"]
    samples = {"wall_time_ns": wall, "cpu_time_ns": [one for one in cpu if one > 0]}
    metrics = {"throughput": metric(subject.batch / statistics.median(wall) * 1e9, "rows/s",
                                    HIGHER)}
    peak = "peak_gpu_bytes" if options.device.startswith("cuda") else "peak_process_bytes"
    if seen["peak"]:
        samples[peak] = [seen["peak"]]
    if way != "eager":
        info["compared"] = comparison(seen["plain"], seen["own"])
        info["accuracy"] = seen["accuracy"]
        metrics.update(compile_metrics(seen))
        if seen["compile"] > 0:
            samples["reported_value"] = [seen["compile"] / 1e9]
        metrics["eager_wall_time_ns"] = metric(statistics.median(seen["plain"][0]), "ns")
        if seen["peak"] and seen["eager_peak"]:
            metrics["eager_peak_bytes"] = metric(seen["eager_peak"], "bytes")
            metrics["memory_ratio"] = metric(seen["eager_peak"] / seen["peak"], "", HIGHER)
        if seen["counted"] and seen["counted"]["why"]:
            info["first_graph_break"] = seen["counted"]["why"]
    info["metrics"] = metrics
    return {"vigil_bench": 1, "outcome": "passed", "samples": samples, "info": info}


HEADER = ["Model", "Way", "Outcome", "Eager, ms", "This, ms", "Speedup", "95% interval",
          "Compile, s", "Graph breaks", "Peak, MiB", "Memory ratio"]


def words_of_way(info):
    """"default", "backend:aot_eager, train, bf16": what of it is usual is left out."""
    backend = info["backend"]
    words = [way for way in ALL_WAYS if way_words(way) == (backend, info.get("setting", ""))] \
        or [f"backend:{backend}"]
    if info["mode"] != "infer":
        words.append(info["mode"])
    if info["precision"] != "fp32":
        words.append(info["precision"])
    return ", ".join(words)


def table_row(line):
    """Cells of HEADER. What there is not is "-"."""
    info = line["info"]
    way = words_of_way(info)
    metrics = info.get("metrics", {})

    def number(name, scale=1.0, digits=2):
        value = metrics.get(name, {}).get("value")
        return "-" if value is None else f"{value * scale:.{digits}f}"

    row = [info["model"], way, line["outcome"]]
    if line["outcome"] != "passed":
        return row + ["-"] * (len(HEADER) - len(row))
    samples, compared = line["samples"], info.get("compared", {})
    wall_ms = statistics.median(samples["wall_time_ns"]) / 1e6
    peak = samples.get("peak_gpu_bytes") or samples.get("peak_process_bytes")
    has = "speedup" in compared
    return row + [
        number("eager_wall_time_ns", 1e-6), f"{wall_ms:.2f}",
        f"{compared['speedup']:.2f}x" if has else "-",
        f"{compared['speedup_low']:.2f} to {compared['speedup_high']:.2f}" if has else "-",
        number("compile_time_ns", 1e-9, 1), number("graph_breaks", 1, 0),
        f"{peak[0] / MIB:.0f}" if peak else "-", number("memory_ratio")]


def table_line(cells):
    return "| " + " | ".join(cells) + " |"


def table_head():
    return [table_line(HEADER), "| --- | --- | --- |" + " ---: |" * (len(HEADER) - 3)]
