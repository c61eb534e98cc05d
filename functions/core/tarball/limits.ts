const KiB = 1024;
const MiB = 1024 * KiB;

/** What a tarball may cost those who read and unpack it. */
export interface TarballLimits {
  /** Compressed bytes. */
  readonly bytes: number;
  /** Bytes after gunzip: bodies, headers and padding together. A header that declares more is refused at once. */
  readonly unpackedBytes: number;
  /** Entries, and files and folders they make; a folder that only stands in the path of a file counts as one. */
  readonly entries: number;
  /** Unpacked bytes for each compressed one, looked at once `ratioFrom` bytes are unpacked. */
  readonly ratio: number;
  readonly ratioFrom: number;
  /** Bytes of a whole path, and of a link's target. */
  readonly pathBytes: number;
  /** Bytes between two slashes. */
  readonly segmentBytes: number;
  /** Bytes of one extended header (pax, GNU long name): the only part of an archive that is held in memory. */
  readonly extensionBytes: number;
  /** Names and targets of all symbolic links together: they are kept until the last one is known. */
  readonly linkBytes: number;
}

/** The limits of the service. */
export const TARBALL_LIMITS: TarballLimits = {
  // Several times the largest repositories that are deployed as an application.
  bytes: 512 * MiB,
  // Source shrinks three to six times. Eight leaves room and still fits the disk of a small machine.
  unpackedBytes: 4096 * MiB,
  // The Linux kernel has 90 000. Above it, unpacking costs minutes whatever the bytes are.
  entries: 200_000,
  // Generated data in repositories reaches 50; deflate ends at 1032, and bombs live there
  // (https://www.zlib.net/zlib_tech.html). Small archives are left alone: an empty tree is all padding.
  ratio: 100,
  ratioFrom: 32 * MiB,
  // PATH_MAX and NAME_MAX of Linux: a longer name cannot be unpacked.
  pathBytes: 4096,
  segmentBytes: 255,
  extensionBytes: 256 * KiB,
  linkBytes: 2 * MiB,
};
