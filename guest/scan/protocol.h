/*
 * What the bridge asks on standard input and what it is told on standard output, little-endian. The
 * other side is bridge-server/roots/scan/scan-frames.ts. Paths are relative to the folder that is
 * scanned, without a slash at either end; its own is empty.
 */
#pragma once

/* A request: u16 bytes of the body, u8 kind, body. Answered in order, each up to its FRAME_DONE. */
#define REQUEST_HEADER_BYTES 3
#define REQUEST_BODY_MAX 4096

enum scan_request {
	/*
	 * i64 seconds and u32 nanoseconds since 1970. Answered by what is not as it was in the last look,
	 * and by what was changed at that time or later.
	 */
	SCAN_LOOK = 1,
	/* Path. Answered by all that is there and below. */
	SCAN_LIST = 2,
	/*
	 * Path of a regular file or a directory. Answered by its attributes and its data, and last by what it
	 * is then: a file that changes while it is read tells so.
	 */
	SCAN_READ = 3,
	/*
	 * Path from the root. Not answered. From now on this folder is scanned: a copy of the one before,
	 * whose inodes have the numbers and times that they have there.
	 */
	SCAN_GO = 4,
	/*
	 * u64 ino and u64 nanoseconds of its ctime since 1970, of one file after the other. Not answered.
	 * The next look takes them for seen in the last one.
	 */
	SCAN_SEEN = 5,
	/*
	 * Path. Answered when the times of that file tell what is written to it from now on, also through
	 * mappings that are there; FRAME_DONE has 1 where they may not.
	 */
	SCAN_SETTLE = 6,
	/*
	 * u32 files, u32 milliseconds, u64 bytes. As many SCAN_READ follow. Their answers are kept in memory,
	 * of the first files that need no more time and memory than this. FRAME_DONE has how many they are; then
	 * come their answers. The others get none.
	 */
	SCAN_AHEAD = 7,
	/* Path. FRAME_DONE has 1 where a process has that file open for writing, or may have. */
	SCAN_USED = 8,
	/* As SCAN_SETTLE, but FRAME_DONE has 2 where too much is to be written to disk for others to wait. */
	SCAN_SETTLE_LITTLE = 9,
};

enum settle_answer { SETTLED = 0, NOT_SETTLED = 1, NOT_LITTLE = 2 };

#define SEEN_BYTES 16
#define SEEN_FILES_MAX (REQUEST_BODY_MAX / SEEN_BYTES)

/* A frame: u32 bytes of the body, u8 kind, body. */
#define FRAME_HEADER_BYTES 5
/* Holds the largest attribute of Linux (XATTR_SIZE_MAX) with its name. */
#define FRAME_BODY_MAX 66560u
#define DATA_BYTES 65536u

enum scan_frame {
	/*
	 * u8 flags, path of a directory. Files and names that follow are in it. Comes again where others
	 * came between, and in any order.
	 */
	FRAME_ENTER = 1,
	/*
	 * u64 ino, u64 size, twice i64 seconds and u32 nanoseconds (of mtime, ctime), u32 mode, uid, gid,
	 * nlink, rdev, u8 bytes of the name, name, target of a symlink. Without a name: the scanned folder.
	 */
	FRAME_FILE = 2,
	/* u64 ino, name, NUL, for each name of a file in the directory that is told of in no other way. */
	FRAME_SAME = 3,
	/* u8 bytes of the name, name, value. */
	FRAME_ATTRIBUTE = 4,
	/* u64 offset, bytes. What lies between two of them is a hole. */
	FRAME_DATA = 5,
	/*
	 * u64: of a file that was read its size, of others what they say, otherwise 0. Of a file that was read
	 * also u64 ino and i64 seconds, u32 nanoseconds of its ctime, after it was read; ino 0 where it is no
	 * more, or not whole.
	 */
	FRAME_DONE = 6,
	/* u8 scan_failure, text. Nothing comes after it. */
	FRAME_FAILED = 7,
};

/* Every name of the directory follows, as a file or as one of FRAME_SAME. */
#define ENTER_WHOLE 1

enum scan_failure {
	/* The disk, or something else that should not be. */
	FAILED_OTHERWISE = 0,
	/* Too many files, or a path that is too long. */
	FAILED_BY_LIMIT = 1,
};
