/* DATA_PATH, where root keeps what the agent may not change. */
#pragma once

/*
 * Opens it, made if it is not there. A volume's own folder, which many may write to, becomes sticky, so that what root has there
 * stays root's. Writes its path without links to PATH_MAX bytes. Answers a descriptor, or -1; EPERM: the agent can change it.
 */
int data_open(const char *data, char *path);
/* Makes a folder that others may pass through but not list, unless it is there. Answers as `data_open`. */
int data_open_folder(int parent, const char *name);
