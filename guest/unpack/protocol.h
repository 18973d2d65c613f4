/*
 * What the bridge says on standard input, little-endian. The other side is
 * bridge-server/roots/unpack/unpack-frames.ts. Paths are relative to the folder that is filled, without a slash at either
 * end; its own is empty. A directory comes before what is in it, and that before any path outside of it.
 */
#pragma once

/* A frame: u32 bytes of the body, u8 kind, body. */
#define FRAME_HEADER_BYTES 5
#define FRAME_BODY_MAX 65536u

enum unpack_frame {
	/*
	 * u32 mode, uid, gid, major, minor, u64 size, i64 seconds and u32 nanoseconds of mtime since 1970, u16 bytes of
	 * the path, u16 bytes of a symlink's target, path, target, and for each attribute u8 bytes of its name, u16 bytes
	 * of its value, name, value. NO_ID leaves an owner as it is.
	 */
	FRAME_ENTRY = 1,
	/* u64 offset, bytes: of the regular file that came last. What lies between two of them is a hole. */
	FRAME_DATA = 2,
	/* u16 bytes of the path, path, path of a file that is there: they become two names of it. */
	FRAME_LINK = 3,
	/* Path. Hides what layers below have there. */
	FRAME_WHITEOUT = 4,
	/* Nothing comes after it. Without it, the folder is not whole. */
	FRAME_END = 5,
};

#define ENTRY_HEADER_BYTES 44
#define NO_ID 0xffffffffu
