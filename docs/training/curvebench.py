"""GRPO on nested curves with the settings of CurveBench's authors: python curvebench.py --config curvebench.yaml

README.md next to this file describes the run, and draws its curves.
"""

from dataclasses import dataclass, field
from typing import Any, Literal

from datasets import Dataset, load_dataset
from trl import GRPOConfig, GRPOTrainer, ModelConfig, ScriptArguments, TrlParser, get_peft_config

from planimeter.evals.rewards import reward_of

#: The weights of a right tree and of a right number of nodes in each of the paper's two rewards.
WEIGHTS = {"combined": [0.7, 0.3], "tree": [1.0, 0.0]}


@dataclass
class Arguments(ScriptArguments):
    """The rows, and one of the two rewards."""

    reward: Literal["combined", "tree"] = field(default="combined", metadata={"help": "One of the paper's rewards."})


def asked(row: dict[str, Any]) -> dict[str, Any]:
    """Return the prompt as TRL takes it; it puts the column `image` before the text."""
    system = [{"role": "system", "content": row["system_prompt"]}] if row["system_prompt"] else []
    return {"prompt": [*system, {"role": "user", "content": row["prompt"]}]}


def main(arguments: Arguments, training: GRPOConfig, model: ModelConfig) -> None:
    """Train, evaluate during training, and leave the adapter and `trainer_state.json` in the output folder."""

    def rows(split: str) -> Dataset:
        return load_dataset(
            arguments.dataset_name, arguments.dataset_config, split=split, streaming=arguments.dataset_streaming
        ).map(asked)

    training.reward_weights = WEIGHTS[arguments.reward]
    training.model_init_kwargs = {
        "revision": model.model_revision,
        "attn_implementation": model.attn_implementation,
        "dtype": model.dtype,
    }
    trainer = GRPOTrainer(
        model=model.model_name_or_path,
        reward_funcs=[reward_of("tree_accuracy"), reward_of("count_accuracy")],
        args=training,
        train_dataset=rows(arguments.dataset_train_split),
        eval_dataset=rows(arguments.dataset_test_split) if training.eval_strategy != "no" else None,
        peft_config=get_peft_config(model),
    )
    trainer.train(resume_from_checkpoint=training.resume_from_checkpoint)
    trainer.save_model()
    trainer.save_state()


if __name__ == "__main__":
    main(*TrlParser((Arguments, GRPOConfig, ModelConfig)).parse_args_and_config(fail_with_unknown_args=False))
