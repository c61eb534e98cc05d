import { OperatorError } from '../../files/errors.ts';

/** A repository by owner and name. */
export interface RepositoryName {
  readonly owner: string;
  readonly name: string;
}

const OWNER_PATTERN = /^[A-Za-z0-9][A-Za-z0-9-]{0,38}$/;
const RESERVED_OWNERS = new Set(['repos', 'user']);
const NAME_PATTERN = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/;

/**
 * Whether owner and name are valid. GitHub's rules apply; also, no name may end in `.git`, as addresses do, and the
 * owners `repos` and `user` are reserved for the paths of the API.
 */
export function isRepositoryName({ owner, name }: RepositoryName): boolean {
  return (
    OWNER_PATTERN.test(owner) &&
    !RESERVED_OWNERS.has(owner) &&
    NAME_PATTERN.test(name) &&
    !/\.(?:git|next)$/i.test(name)
  );
}

/** The rule in words. */
export const REPOSITORY_NAME_RULE =
  'A repository is named by an owner (letters, digits, dashes) and a name (also dots and underscores, not ending in .git).';

/** Throws an `OperatorError` unless owner and name are valid. */
export function checkRepositoryName(repository: RepositoryName): void {
  if (!isRepositoryName(repository)) throw new OperatorError(REPOSITORY_NAME_RULE);
}
