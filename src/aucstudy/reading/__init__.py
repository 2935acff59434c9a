"""Reading what others wrote: ARFF and column files, OpenML prediction files, tables of predictions, class names."""
