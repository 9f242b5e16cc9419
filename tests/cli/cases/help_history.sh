hdbinspect help log
hdbinspect help bisect
hdbinspect help plot
