import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OperatorError } from '../../files/errors.ts';
import type { Git } from '../git/git.ts';

/** Faults of commits and tags that git made or took in its first years; a repository that has them must still push. */
const HARMLESS = [
  ...['badDate', 'badDateOverflow', 'badEmail', 'badName', 'badTagName', 'badTimezone', 'missingEmail'],
  ...['missingNameBeforeEmail', 'missingSpaceBeforeDate', 'missingSpaceBeforeEmail', 'missingTaggerEntry'],
  ...['multipleAuthors', 'zeroPaddedDate', 'zeroPaddedFilemode'],
];

/** The host's settings in the configuration of each repository: section, name and value. */
const SETTINGS: readonly (readonly [string, string, string])[] = [
  // Overrides the core.hooksPath of the user who pushes.
  ['core', 'hooksPath', 'hooks'],
  // For `git push -o nowait`.
  ['receive', 'advertisePushOptions', 'true'],
  // The host reads no replacements, and a git of the user who pushes into the folder must not either.
  ['core', 'useReplaceRefs', 'false'],
  ['transfer', 'hideRefs', 'refs/replace'],
  // A tree with `.git` or `..` in it is refused at the push, and not when git is to make a tarball of it
  // (https://git-scm.com/docs/git-fsck#_fsck_messages).
  ['receive', 'fsckObjects', 'true'],
  ...HARMLESS.map((fault) => ['receive "fsck"', fault, 'ignore'] as const),
];

/**
 * A deploy wants the commit, and `git archive` would leave out what a release of the sources does. It is the last line
 * that counts (https://git-scm.com/docs/gitattributes).
 */
const WHOLE_COMMIT = '* -export-ignore -export-subst\n';

/** Makes an empty bare repository. Throws an `OperatorError` when git does not accept the name of the branch. */
export async function initialise(git: Git, folder: string, branch: string): Promise<void> {
  if ((await git.ask(['check-ref-format', '--branch', branch])) === null) {
    throw new OperatorError('The default branch of a repository must be a name that git accepts.');
  }
  // A template may hold hooks. HEAD is set separately, because `--initial-branch` needs git 2.28, and by git, because a
  // repository with `reftable` does not keep it in the file.
  await git.read(['init', '--quiet', '--bare', '--template=', folder]);
  await git.read(['-C', folder, 'symbolic-ref', 'HEAD', `refs/heads/${branch}`]);
  configure(folder);
}

/** Writes the host's settings into the configuration and the attributes of a repository, unless they are there. */
export function configure(folder: string): void {
  const file = join(folder, 'config');
  const configuration = readFileSync(file, 'utf8').toLowerCase();
  const missing = SETTINGS.filter(([, name, value]) => !configuration.includes(`${name.toLowerCase()} = ${value}`));
  // In one step, and not by a git command for each.
  if (missing.length > 0) appendFileSync(file, missing.map(line).join(''));
  const attributes = join(folder, 'info', 'attributes');
  if (existsSync(attributes) && readFileSync(attributes, 'utf8').endsWith(WHOLE_COMMIT)) return;
  mkdirSync(join(folder, 'info'), { recursive: true });
  appendFileSync(attributes, `\n${WHOLE_COMMIT}`);
}

function line([section, name, value]: readonly [string, string, string]): string {
  return `[${section}]\n\t${name} = ${value}\n`;
}
