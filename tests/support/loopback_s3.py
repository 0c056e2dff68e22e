"""A real S3 server on loopback, and what lies in its bucket `shelf`."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import boto3
from moto.server import ThreadedMotoServer

#: What must appear nowhere.
KEY, SECRET = "AKIAPLANIMETERTEST", "s3cr3t-of-the-tests"


@contextmanager
def started() -> Iterator[dict[str, str]]:
    """The environment that leads to the server."""
    logging.getLogger("werkzeug").setLevel(logging.CRITICAL)
    running = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    running.start()
    host, port = running.get_host_and_port()
    environment = {
        "AWS_ACCESS_KEY_ID": KEY,
        "AWS_SECRET_ACCESS_KEY": SECRET,
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": f"http://{host}:{port}",
        "AWS_EC2_METADATA_DISABLED": "true",
    }
    client(environment).create_bucket(Bucket="shelf")
    try:
        yield environment
    finally:
        running.stop()


def client(environment: dict[str, str]) -> Any:
    given = {"aws_access_key_id": KEY, "aws_secret_access_key": SECRET, "region_name": "us-east-1"}
    return boto3.client("s3", endpoint_url=environment["AWS_ENDPOINT_URL"], **given)


def objects(s3: Any, url: str) -> dict[str, dict[str, Any]]:
    prefix = url.removeprefix("s3://shelf/") + "/"
    pages = s3.get_paginator("list_objects_v2").paginate(Bucket="shelf", Prefix=prefix)
    return {entry["Key"].removeprefix(prefix): entry for page in pages for entry in page.get("Contents", [])}


def content(s3: Any, url: str, name: str) -> bytes:
    return bytes(s3.get_object(Bucket="shelf", Key=f"{url.removeprefix('s3://shelf/')}/{name}")["Body"].read())
