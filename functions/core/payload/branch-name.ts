import { DeployError } from '../errors.ts';

// https://git-scm.com/docs/git-check-ref-format; a part of dots would lead a path of the host elsewhere.
const refused = /[\p{Cc}\s~^:?*[\\]|^[./]|\.\.|\/[./]|@\{|[./]$/u;

/**
 * Returns the name of a branch in a query, without `refs/heads/`. Throws `request:bad_parameter`, naming the parameter.
 */
export function branchNamed(text: string, parameter: string): string {
  const branch = text.replace(/^refs\/heads\//, '');
  if (branch !== '' && branch.length <= 250 && !refused.test(branch)) return branch;
  throw new DeployError('request:bad_parameter', `The parameter ${parameter} is not the name of a branch.`);
}
