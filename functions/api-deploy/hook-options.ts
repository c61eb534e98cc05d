import { hook, oneOf } from '../api/parameters.ts';
import { type CiChoice, ciChoice } from '../core/entry/kinds.ts';
import { badParameter } from '../core/errors.ts';
import { branchNamed } from '../core/payload/branch.ts';
import type { Delivery } from '../core/payload/delivery.ts';
import { environmentNamed, folderPath } from '../core/payload/folder.ts';
import type { HookCall } from '../core/ports/sender.ts';
import { previewCi } from '../core/preview/preview.ts';

export interface HookOptions {
  readonly branch: string;
  /** The folder of the application in the repository; absent for the root. */
  readonly path?: string;
  /** The word that the application's name gets added. */
  readonly environment?: string;
  /** `wait`: every push waits for CI; `ignore`: none does; null: the repository decides. */
  readonly ci: 'wait' | 'ignore' | null;
  /** Previews of pull requests wait for CI. */
  readonly previewCi?: true;
}

/** Returns the options in the query of a hook's address. Throws `request:bad_parameter`, naming the parameter. */
export function hookOptionsOf(query: HookCall['query'], defaultBranch: string): HookOptions {
  const { [hook.branch.name]: named, [hook.path.name]: folder, [hook.environment.name]: word } = query;
  const branch = named === undefined ? defaultBranch : branchNamed(named, hook.branch.name);
  const path = folderPath(folder);
  const environment = environmentNamed(word);
  const previews = oneOf(query, hook.previews);
  if (environment !== undefined && previews !== undefined) {
    const detail =
      'An environment has no previews: give the parameters environment and previews to webhooks of their own.';
    throw badParameter(detail);
  }
  return {
    branch,
    ...(previews === 'ci' && { previewCi: true }),
    ...(path !== undefined && { path }),
    ...(environment !== undefined && { environment }),
    ci: oneOf(query, hook.ci) ?? null,
  };
}

/** Returns the choice of a push or its hook to wait for CI; undefined when they make none. */
export function ciChoiceOf(delivery: Delivery, { ci, previewCi: waits }: HookOptions): CiChoice | undefined {
  if (delivery.kind === 'pull') {
    return previewCi({ ...(waits && { ci: true }), ...(delivery.fromFork && { fromFork: true }) });
  }
  return delivery.kind === 'push' ? ciChoice(ci === null ? undefined : CI_CHOICES[ci], delivery.skip) : undefined;
}

const CI_CHOICES = {
  wait: { waits: true, because: "the hook's address says ci=wait", from: 'hook' },
  ignore: { waits: false, because: "The hook's address says ci=ignore", from: 'hook' },
} as const;
