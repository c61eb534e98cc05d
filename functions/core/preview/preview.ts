import type { CiChoice, Entry, PullRequestOf } from '../entry/entry.ts';
import type { Manifest } from '../entry/manifest.ts';
import { nameProblem } from '../entry/package-name.ts';
import { DeployError } from '../errors.ts';

export const DAY_MS = 24 * 3_600_000;

/** The most previews of an application at a time. */
export const MOST_PREVIEWS = 20;

/** Returns the name of the application that previews a pull request, from the name of its parent in package.json. */
export function previewName(parent: string, number: number): string {
  return `${parent}-pr-${number}`;
}

/** Returns whether a preview waits for CI: where the hook's address says so, unless it waits for a person anyway. */
export function previewCi({ ci, fromFork }: Pick<PullRequestOf, 'ci' | 'fromFork'>): CiChoice {
  if (ci && !fromFork) return { waits: true, because: "the hook's address says previews=ci", from: 'hook' };
  return { waits: false, because: 'A preview waits for no CI', from: 'hook' };
}

/** An entry of a preview, and its manifest under the preview's name. */
interface NamedPreview {
  readonly entry: Entry & { readonly pullRequest: PullRequestOf & { readonly parent: string } };
  readonly manifest: Manifest;
}

/**
 * Returns the entry of a pull request with the application that it previews, and its package.json under the name of the
 * preview. Throws `deploy:repohost:no_pkg_json` when that would be longer than a name may be; one that is only too long
 * for a host name is shortened as all names are (`appName`).
 */
export function namedPreview(entry: Entry, pullRequest: PullRequestOf, manifest: Manifest): NamedPreview {
  const parent = manifest.name;
  const name = previewName(parent, pullRequest.number);
  const problem = nameProblem(name);
  if (problem !== null) {
    const detail = `The preview of ${parent} would have a name that ${problem}; give the package a shorter one.`;
    throw new DeployError('deploy:repohost:no_pkg_json', detail, { retry: false });
  }
  return {
    entry: { ...entry, pullRequest: { ...pullRequest, parent } },
    manifest: { ...manifest, name, manifest: { ...manifest.manifest, name } },
  };
}
