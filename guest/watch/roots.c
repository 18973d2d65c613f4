#include "roots.h"

#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "process.h"

struct root *all_roots;

static void free_root(struct root *root)
{
	free(root->path);
	free(root->ignored);
	free(root);
}

struct root *root_add(uint32_t number, const char *path, const char *ignored, size_t ignored_length)
{
	struct root *root = calloc(1, sizeof *root);
	if (!root)
		return NULL;
	root->number = number;
	root->path = realpath(path, NULL);
	root->ignored = malloc(ignored_length + 1);
	if (!root->path || !root->ignored) {
		free_root(root);
		return NULL;
	}
	memcpy(root->ignored, ignored, ignored_length);
	root->ignored_length = ignored_length;
	root->next = all_roots;
	all_roots = root;
	return root;
}

struct root *root_find(uint32_t number)
{
	for (struct root *root = all_roots; root; root = root->next) {
		if (root->number == number)
			return root;
	}
	return NULL;
}

/* Whether `path` is `prefix`, or below it. */
static bool is_within(const char *path, const char *prefix)
{
	size_t length = strlen(prefix);
	return strncmp(path, prefix, length) == 0 && (path[length] == '/' || path[length] == 0);
}

bool root_ignores(const struct root *root, const char *path)
{
	const char *end = root->ignored + root->ignored_length;
	for (const char *at = root->ignored; at < end; at += strlen(at) + 1) {
		if (is_within(path, at))
			return true;
	}
	return false;
}

bool root_ignores_below(const struct root *root, const char *path)
{
	const char *end = root->ignored + root->ignored_length;
	for (const char *at = root->ignored; at < end; at += strlen(at) + 1) {
		if (is_within(at, path))
			return true;
	}
	return false;
}

struct root *root_above(const char *path)
{
	for (struct root *root = all_roots; root; root = root->next) {
		if (is_within(path, root->path))
			return root;
	}
	return NULL;
}

void root_remove(struct root *root)
{
	struct root **at = &all_roots;
	while (*at != root)
		at = &(*at)->next;
	*at = root->next;
	free_root(root);
}

void roots_changed(void)
{
	for (struct root *root = all_roots; root; root = root->next) {
		root->is_changed = true;
		root->process = 0;
	}
}

void root_tell(struct root *root)
{
	if (root->watches != root->told_watches) {
		root->told_watches = root->watches;
		tell_watched(root->number, root->watches);
	}
	if (!root->is_changed)
		return;
	root->is_changed = false;
	char words[PROCESS_WORDS_MAX];
	uint32_t namespace = 0;
	size_t length = process_words(root->process, words, &namespace);
	tell_changed(root->number, (uint32_t)root->process, namespace, words, length);
}
