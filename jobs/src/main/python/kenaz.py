"""Kenaz in PySpark: thin wrappers of the Java classes that the job jar has.

Give Spark the job jar (--jars) and this file (--py-files), and change an import:

    from kenaz import KMeans                # from pyspark.ml.clustering import KMeans
    model = KMeans(k=8, seed=1).fit(points)

Models are those of pyspark.ml. docs/pipelines.md describes the estimators. They are for a Spark
session of this process, not for Spark Connect.
"""

from pyspark.ml import classification, clustering, feature, recommendation, regression
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

    def __init__(self, program=None):
        super().__init__()
        self._java_obj = self._new_java_obj("dev.kenaz.ml.KenazEstimator", self.uid)
        if program is not None:
            self.setSetting("program", program)

    def setSetting(self, path, value):
        """Changes a setting: a number, a truth value, a string, or lists and dictionaries of these."""
        self._java_obj.setSetting(path, _java(value))
        return self

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
    """Makes an entry point of a program a function of SQL.

    The first arguments are the same for all rows: numbers, truth values, and lists of numbers.
    """
    jvm = spark._jvm
    arguments = spark.sparkContext._gateway.new_array(jvm.java.io.Serializable, len(first))
    for i, value in enumerate(first):
        arguments[i] = _array(spark, value) if isinstance(value, (list, tuple)) else value
    functions = getattr(jvm, "dev.kenaz.spark.sql.KenazFunctions")
    functions.register(
        spark._jsparkSession, name, jvm.java.nio.file.Path.of(file, _strings(spark)), entry, arguments
    )


def _strings(spark):
    return spark.sparkContext._gateway.new_array(spark._jvm.java.lang.String, 0)


def _array(spark, values):
    array = spark.sparkContext._gateway.new_array(spark._jvm.double, len(values))
    for i, value in enumerate(values):
        array[i] = float(value)
    return array


def _java(value):
    """Returns lists and dictionaries as those of Java."""
    jvm = SparkSession.getActiveSession()._jvm
    if isinstance(value, (list, tuple)):
        result = jvm.java.util.ArrayList()
        for element in value:
            result.add(_java(element))
        return result
    if isinstance(value, dict):
        result = jvm.java.util.LinkedHashMap()
        for key, element in value.items():
            result.put(key, _java(element))
        return result
    return value
