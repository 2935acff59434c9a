"""Reading what others wrote: tables of predictions in CSV, Parquet or ARFF, and names of classes."""
