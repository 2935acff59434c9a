# What R's tools answer to cases.json, a line of JSON an answer: Rscript answers.R cases.json > answers.jsonl
# jsonlite reads the cases; a tool that is not installed is named on stderr and left out.
tools <- list(
  pROC = list(
    auc = function(y, s) as.numeric(pROC::auc(pROC::roc(y, s, levels = c(0, 1), direction = "<", quiet = TRUE)))
  ),
  ROCR = list(
    "performance(auc)" = function(y, s) ROCR::performance(ROCR::prediction(s, y), "auc")@y.values[[1]],
    "performance(aucpr)" = function(y, s) ROCR::performance(ROCR::prediction(s, y), "aucpr")@y.values[[1]]
  ),
  MLmetrics = list(
    AUC = function(y, s) MLmetrics::AUC(s, y),
    PRAUC = function(y, s) MLmetrics::PRAUC(s, y)
  ),
  PRROC = list(
    "pr.curve(auc.integral)" = function(y, s)
      PRROC::pr.curve(s[y == 1], s[y == 0])$auc.integral,
    "pr.curve(auc.davis.goadrich)" = function(y, s)
      PRROC::pr.curve(s[y == 1], s[y == 0])$auc.davis.goadrich
  ),
  precrec = list(
    "auc(PRC)" = function(y, s) precrec::auc(precrec::evalmod(scores = s, labels = y))$aucs[2]
  ),
  yardstick = list(
    pr_auc_vec = function(y, s) yardstick::pr_auc_vec(factor(y, levels = c(1, 0)), s),
    average_precision_vec = function(y, s) yardstick::average_precision_vec(factor(y, levels = c(1, 0)), s)
  )
)
# cases of many rows have no exact value of its rule, which would fill gaps of thousands of positives
few_rows <- "performance(aucpr)"
cases <- jsonlite::fromJSON(commandArgs(TRUE)[1], simplifyDataFrame = FALSE)$cases
for (tool in names(tools)) {
  if (!requireNamespace(tool, quietly = TRUE)) {
    message(tool, ": left out (not installed)")
    next
  }
  for (name in names(tools[[tool]])) {
    for (case in cases) {
      if (any(c("weights", "prevalence", "recall_range", "rule") %in% names(case)) || is.matrix(case$labels)) next
      if (name %in% few_rows && !is.null(case$counts)) next
      line <- list(tool = tool, version = as.character(packageVersion(tool)), language = "R", `function` = name)
      line$case <- case$id
      times <- if (is.null(case$counts)) 1 else case$counts # how many equal rows each stands for
      y <- rep(case$labels, times)
      s <- rep(case$scores, times)
      line <- c(line, tryCatch(
        list(value = suppressWarnings(suppressMessages(tools[[tool]][[name]](y, s)))),
        error = function(problem) list(error = substr(strsplit(conditionMessage(problem), "\n")[[1]][1], 1, 120))
      ))
      cat(jsonlite::toJSON(line, auto_unbox = TRUE, digits = NA, na = "null"), "\n", sep = "")
    }
  }
}
