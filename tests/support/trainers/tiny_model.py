"""A vision-language model with a few thousand random weights, saved as trainers load one. Runs beside transformers.

A token is a byte, so that every text is encoded and decoded without a change.
"""

import sys

from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import (
    CLIPImageProcessor,
    CLIPVisionConfig,
    LlamaConfig,
    LlavaConfig,
    LlavaForConditionalGeneration,
    LlavaProcessor,
    PreTrainedTokenizerFast,
)

SPECIAL = ["<pad>", "<s>", "</s>", "<image>"]
CHAT = (
    "{% for turn in messages %}{{ turn.role }}: {% if turn.content is string %}{{ turn.content }}"
    "{% else %}{% for part in turn.content %}{{ '<image>' if part.type == 'image' else part.text }}{% endfor %}"
    "{% endif %}\n{% endfor %}{% if add_generation_prompt %}assistant: {% endif %}"
)


def save(folder: str) -> None:
    vocabulary = {token: number for number, token in enumerate(SPECIAL + sorted(pre_tokenizers.ByteLevel.alphabet()))}
    letters = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    letters.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    letters.decoder = decoders.ByteLevel()
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=letters, pad_token="<pad>", bos_token="<s>", eos_token="</s>", extra_special_tokens=["<image>"]
    )
    tokenizer.chat_template = CHAT
    sizes = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
    text = LlamaConfig(
        vocab_size=len(vocabulary),
        max_position_embeddings=8192,
        pad_token_id=0,
        bos_token_id=1,
        eos_token_id=2,
        **sizes,
    )
    vision = CLIPVisionConfig(image_size=28, patch_size=14, **sizes)
    LlavaForConditionalGeneration(
        LlavaConfig(vision_config=vision, text_config=text, image_token_index=3)
    ).save_pretrained(folder)
    LlavaProcessor(
        image_processor=CLIPImageProcessor(size={"shortest_edge": 28}, crop_size={"height": 28, "width": 28}),
        tokenizer=tokenizer,
        patch_size=14,
        vision_feature_select_strategy="default",
        num_additional_image_tokens=1,
        chat_template=CHAT,
    ).save_pretrained(folder)


if __name__ == "__main__":
    save(sys.argv[1])
