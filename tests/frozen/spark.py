"""A Spark session on this machine, as small as it gets."""

from __future__ import annotations

import os
import shutil

THERE = bool(os.environ.get("JAVA_HOME") or shutil.which("java"))
SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
    "spark.driver.host": "localhost",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.codegen.wholeStage": "false",  # compiling takes longer than these tables do
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
}


def spark_session():
    """Start a session, or find the one that is there."""
    from pyspark.sql import SparkSession

    return SparkSession.builder.master("local[1]").config(map=SETTINGS).getOrCreate()
