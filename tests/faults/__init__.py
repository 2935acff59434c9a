"""Faults on the tiny study: processes that are killed, files that are damaged, disks that are full."""
