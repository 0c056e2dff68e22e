"""What verifiers makes of recorded replies: run by its Python, it prints a reward a line.

    python rewarded_by_verifiers.py REPLIES OF DATASET...

REPLIES are JSON lines of ``id`` and ``reply``; OF names the reward. Scores are those of ``Task.score``.
"""

import asyncio
import json
import sys
from pathlib import Path

import verifiers.v1 as vf
from verifiers.v1.graph import MessageNode
from verifiers.v1.trace import AgentInfo, TraceTask
from verifiers.v1.types import AssistantMessage
from verifiers.v1.utils.loaders import load_taskset, taskset_class


async def main(replies: str, of: str, *datasets: str) -> None:
    config_class = taskset_class("planimeter-env").__init__.__annotations__["config"]
    tasks = {}
    for dataset in datasets:
        config = config_class(id="planimeter-env", dataset=dataset, task={"of": of})
        tasks |= {task.key: task for task in load_taskset(config)}
    for line in Path(replies).read_text(encoding="utf-8").splitlines():
        said = json.loads(line)
        task = tasks[said["id"]]
        node = MessageNode(message=AssistantMessage(content=said["reply"]), sampled=True)
        trace_task = TraceTask(type="PlanimeterTask", data=task.data)
        trace = vf.Trace(task=trace_task, agent=AgentInfo(config=vf.AgentConfig()), nodes=[node])
        await task.score(trace)
        print(json.dumps({"reward": trace.reward, "metrics": trace.metrics}))


asyncio.run(main(*sys.argv[1:]))
