/* The user's home, from a template, on the first start only (I-2). */
#pragma once

/*
 * Copies /etc/skel to the home named in /etc/passwd unless that exists already. Complete or absent:
 * it is built beside its place and renamed. Call it in the root. Answers 0 or an errno.
 */
int home_set_up(char *what, unsigned size);
