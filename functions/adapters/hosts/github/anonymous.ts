import type { CommitRef } from '../../../core/payload/delivery.ts';
import { encodePath } from '../coordinates.ts';

/** Web pages of the public GitHub. */
export const PUBLIC_WEB = 'https://github.com';
export const RAW_HOST = 'raw.githubusercontent.com';

/**
 * Addresses of public repositories, for requests without a token. The REST API allows 60 of these an hour for an IP
 * address, and functions share theirs with strangers; these two do not count
 * (https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api).
 */
export const anonymous = {
  file: ({ owner, name, sha }: CommitRef, path: string): string =>
    `https://${RAW_HOST}/${owner}/${name}/${sha}/${encodePath(path)}`,
  tarball: ({ owner, name, sha }: CommitRef): string =>
    `https://codeload.github.com/${owner}/${name}/legacy.tar.gz/${sha}`,
};
