import { OperatorError } from '../../processes/operator-error.ts';

/** A repository by owner and name. */
export interface RepositoryName {
  readonly owner: string;
  readonly name: string;
}

const ownerPattern = /^[A-Za-z0-9][A-Za-z0-9-]{0,38}$/;
const reserved = new Set(['repos', 'user']);
const namePattern = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/;

/**
 * Whether owner and name can be a repository here. GitHub's own rules, and no name may end in `.git`, because addresses
 * do; the owners `repos` and `user` are the API's own paths.
 */
export function isRepositoryName({ owner, name }: RepositoryName): boolean {
  return ownerPattern.test(owner) && !reserved.has(owner) && namePattern.test(name) && !/\.(?:git|next)$/i.test(name);
}

/** Throws an `OperatorError` unless owner and name can be a repository. */
export function checkRepositoryName(repository: RepositoryName): void {
  if (isRepositoryName(repository)) return;
  throw new OperatorError(
    'A repository is named by an owner (letters, digits, dashes) and a name (also dots and underscores, not ending in .git).',
  );
}
