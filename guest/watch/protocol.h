/*
 * What the bridge asks on standard input and what it is told on standard output, little-endian. The
 * other side is bridge-server/watch/watch-frames.ts.
 */
#pragma once

/* A request: u16 bytes of the body, u8 kind, body: u32 root, and what the kind has. */
#define REQUEST_HEADER_BYTES 3
#define REQUEST_BODY_MAX 16384

enum watch_request {
	/*
	 * Absolute path of a folder, and of directories in it as if it were `/` whose changes are not told of, with a NUL before
	 * each. Answered by FRAME_WATCHED or FRAME_FAILED. The number is not in use.
	 */
	WATCH_ADD = 1,
	/* Not answered. Nothing is told of that root afterwards. */
	WATCH_REMOVE = 2,
	/* Answered by FRAME_DRAINED, before which all was told that had happened when this was asked. */
	WATCH_DRAIN = 3,
};

/* A frame: u16 bytes of the body, u8 kind, body. */
#define FRAME_HEADER_BYTES 3
#define FRAME_BODY_MAX 512

enum watch_frame {
	/* u8 watch_source, u32 directories that it may watch one by one, text: why it is not a better one. The first frame. */
	FRAME_OPEN = 1,
	/* u32 root, u32 directories that are watched one by one: 0 where the kernel watches them all. Again when that has changed. */
	FRAME_WATCHED = 2,
	/* u32 root, text. It is not watched, until a FRAME_WATCHED says that it is again. */
	FRAME_FAILED = 3,
	/*
	 * u32 root, u32 process that did it or 0, u32 inode of its namespace of processes or 0, text: its program and
	 * arguments, if it is in some jail and they are known, with a NUL after each. Whether it is in the jail of that root
	 * the namespace says.
	 */
	FRAME_CHANGED = 4,
	/* u32 root. */
	FRAME_DRAINED = 5,
};

enum watch_source {
	SOURCE_NONE = 0,
	SOURCE_INOTIFY = 1,
	SOURCE_FANOTIFY = 2,
};

/* What happens within this time is read, and told of, at once. */
#define BATCH_MS 50
