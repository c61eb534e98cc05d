const KiB = 1024;
const MiB = 1024 * KiB;

export interface TarballLimits {
  /** Compressed bytes. */
  readonly bytes: number;
  /** Bytes after gunzip: bodies, headers and padding together. A header that declares more is refused at once. */
  readonly unpackedBytes: number;
  /**
   * Entries, and the files and folders that they create; a folder that only appears in the path of a file counts too.
   */
  readonly entries: number;
  /** Unpacked bytes per compressed byte, checked from `ratioFrom` unpacked bytes on. */
  readonly ratio: number;
  readonly ratioFrom: number;
  /** Bytes of a whole path, and of a link's target. */
  readonly pathBytes: number;
  /** Bytes of one segment of a path. */
  readonly segmentBytes: number;
  /**
   * Bytes of one extended header (pax, GNU long name), the only part of an archive that is kept in memory as a whole.
   */
  readonly extensionBytes: number;
  /** Characters of the paths and targets of all symbolic links, which are kept until the end of the archive. */
  readonly linkBytes: number;
}

export const TARBALL_LIMITS: TarballLimits = {
  // Several times the largest repositories that are deployed as an application.
  bytes: 512 * MiB,
  // Source code compresses to between a third and a sixth. A factor of eight leaves room and fits a small disk.
  unpackedBytes: 4096 * MiB,
  // The Linux kernel has 90 000 entries. More than this takes minutes to unpack, whatever their size.
  entries: 200_000,
  // Generated data in repositories reaches 50. The maximum of deflate is 1032, which bombs come close to
  // (https://www.zlib.net/zlib_tech.html). Small archives are not checked: an empty tree consists of padding.
  ratio: 100,
  ratioFrom: 32 * MiB,
  // PATH_MAX and NAME_MAX of Linux: a longer name cannot be unpacked.
  pathBytes: 4096,
  segmentBytes: 255,
  extensionBytes: 256 * KiB,
  linkBytes: 2 * MiB,
};
