"""Kenaz in PySpark: thin wrappers of the Java classes that the job jar has.

Give Spark the job jar (--jars) and this file (--py-files), and change an import:

    from kenaz import KMeans                # from pyspark.ml.clustering import KMeans
    model = KMeans(k=8, seed=1).fit(points)

Models are those of pyspark.ml. docs/pipelines.md describes the estimators, and what a server of
Spark Connect needs.
"""

import json

from pyspark.ml import classification, clustering, feature, recommendation, regression
from pyspark.ml.param import Param, Params, TypeConverters
from pyspark.ml.wrapper import JavaEstimator, JavaModel
from pyspark.sql import SparkSession

__all__ = [
    "ALS",
    "GaussianMixture",
    "KMeans",
    "KenazEstimator",
    "KenazModel",
    "LinearRegression",
    "LinearSVC",
    "LogisticRegression",
    "MultilayerPerceptronClassifier",
    "PCA",
    "register",
    "register_aggregate",
    "register_gradient",
    "register_model",
    "register_table",
]


def _trained_by_kenaz(estimator, java_class):
    """Returns the estimator of pyspark.ml with another Java class behind it."""

    def init(self, **settings):
        estimator.__init__(self, **settings)
        self._java_obj = self._new_java_obj(java_class, self.uid)

    return type(
        estimator.__name__,
        (estimator,),
        {"__init__": init, "__doc__": estimator.__doc__, "__module__": __name__},
    )


KMeans = _trained_by_kenaz(clustering.KMeans, "dev.kenaz.ml.clustering.KMeans")
GaussianMixture = _trained_by_kenaz(
    clustering.GaussianMixture, "dev.kenaz.ml.clustering.GaussianMixture"
)
LinearRegression = _trained_by_kenaz(
    regression.LinearRegression, "dev.kenaz.ml.regression.LinearRegression"
)
LogisticRegression = _trained_by_kenaz(
    classification.LogisticRegression, "dev.kenaz.ml.classification.LogisticRegression"
)
LinearSVC = _trained_by_kenaz(
    classification.LinearSVC, "dev.kenaz.ml.classification.LinearSVC"
)
MultilayerPerceptronClassifier = _trained_by_kenaz(
    classification.MultilayerPerceptronClassifier,
    "dev.kenaz.ml.classification.MultilayerPerceptronClassifier",
)
ALS = _trained_by_kenaz(recommendation.ALS, "dev.kenaz.ml.recommendation.ALS")
PCA = _trained_by_kenaz(feature.PCA, "dev.kenaz.ml.feature.PCA")


class KenazEstimator(JavaEstimator):
    """Trains any program; settings are those of a training job, by their paths.

    KenazEstimator(program="ridge.fut").setColumn("x", "features").setSetting("iterations", 50)
    """

    settings = Param(
        Params._dummy(),
        "settings",
        "settings of the training job by their paths, as JSON",
        typeConverter=TypeConverters.toString,
    )

    def __init__(self, program=None):
        super().__init__()
        self._java_obj = self._new_java_obj("dev.kenaz.ml.KenazEstimator", self.uid)
        self._set(settings="{}")
        if program is not None:
            self.setSetting("program", program)

    def setSetting(self, path, value):
        """Changes a setting: a number, a truth value, a string, or lists and dictionaries of these."""
        all_settings = json.loads(self.getOrDefault(self.settings))
        all_settings[path] = value
        return self._set(settings=json.dumps(all_settings))

    def setColumn(self, parameter, *columns):
        """Says which column, or columns, a parameter of the program is."""
        value = columns[0] if len(columns) == 1 else list(columns)
        return self.setSetting("data.columns." + parameter, value)

    def setParameter(self, name, value):
        """Sets a hyperparameter."""
        return self.setSetting("parameters." + name, value)

    def _create_model(self, java_model):
        return KenazModel(java_model)


class KenazModel(JavaModel):
    """A trained model; transform adds the columns that the program predicts."""

    def setOutput(self, predicted, column):
        """Gives a column that is predicted another name."""
        self._java_obj.setOutput(predicted, column)
        return self

    @property
    def losses(self):
        """The losses at the start and after each iteration."""
        return list(self._java_obj.summary().losses())

    @property
    def metrics(self):
        """What the program's metrics give for the model."""
        return dict(self._java_obj.summary().metrics())

    @property
    def iterations(self):
        """How many iterations there were."""
        return self._java_obj.summary().iterations()

    def save(self, path):
        """Saves the model, over one that is there."""
        self._java_obj.write().overwrite().save(path)

    @classmethod
    def load(cls, path):
        """Reads a model that was saved."""
        jvm = SparkSession.getActiveSession()._jvm
        return cls(getattr(jvm, "dev.kenaz.ml.KenazModel").load(path))


def register(spark, name, file, entry, *first):
    """Makes an entry point of a program a function of a row.

    The first arguments are the same for all rows: numbers, truth values, and lists of these.
    """
    _register(spark, "row", name, file, entry, first)


def register_aggregate(spark, name, file, entry, *first):
    """Makes an entry point over columns an aggregate function."""
    _register(spark, "aggregate", name, file, entry, first)


def register_gradient(spark, name, file, entry, *first):
    """Makes the gradient of an entry point over columns an aggregate function."""
    _register(spark, "gradient", name, file, entry, first)


def register_table(spark, name, file, entry, *first):
    """Makes an entry point from columns to columns a function of a table."""
    _register(spark, "table", name, file, entry, first)


def register_model(spark, name, folder):
    """Makes what kenaz train has written, where Spark's driver runs, a function of a row."""
    _command(spark, {"register": "model", "name": name, "file": folder})


def _register(spark, kind, name, file, entry, first):
    command = {"register": kind, "name": name, "entry": entry, "first": first}
    if _is_remote(spark):
        with open(file, encoding="utf-8") as program:  # The server has not this file.
            command["program"] = program.read()
    else:
        command["file"] = file
    _command(spark, command)


def _is_remote(spark):
    return not hasattr(spark, "_jvm")


def _command(spark, command):
    text = json.dumps(command, allow_nan=False)
    if not _is_remote(spark):
        functions = getattr(spark._jvm, "dev.kenaz.connect.FunctionCommand")
        functions.run(spark._jsparkSession, text)
        return
    from google.protobuf.any_pb2 import Any
    from pyspark.sql.connect.proto import Command

    message = Any(type_url="type.googleapis.com/dev.kenaz.Command", value=text.encode("utf-8"))
    spark.client.execute_command(Command(extension=message))
