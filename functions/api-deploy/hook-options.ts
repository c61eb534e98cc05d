import { environmentNamed, folderPath } from '../core/entry/folder.ts';
import type { CiChoice } from '../core/entry/kinds.ts';
import { badParameter } from '../core/errors.ts';
import { branchNamed } from '../core/payload/branch.ts';
import type { Delivery } from '../core/payload/delivery.ts';
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
  /** Pull requests get a comment about their previews. */
  readonly comment?: true;
}

/** Returns the options in the query of a hook's address. Throws `request:bad_parameter`, naming the parameter. */
export function hookOptionsOf(query: HookCall['query'], defaultBranch: string): HookOptions {
  const branch = query.branch === undefined ? defaultBranch : branchNamed(query.branch, 'branch');
  const path = folderPath(query.path);
  const environment = environmentNamed(query.environment);
  // With previews the senders read pull requests, which are notices without them.
  if (query.previews !== undefined && query.previews !== 'true' && query.previews !== 'ci') {
    throw badParameter('The parameter previews must be true or ci.');
  }
  if (query.comment !== undefined && query.comment !== 'true') {
    throw badParameter('The parameter comment must be true.');
  }
  if (environment !== undefined && query.previews !== undefined) {
    const detail =
      'An environment has no previews: give the parameters environment and previews to webhooks of their own.';
    throw badParameter(detail);
  }
  if (query.comment !== undefined && query.previews === undefined) {
    throw badParameter('The parameter comment needs previews.');
  }
  return {
    branch,
    ...(query.previews === 'ci' && { previewCi: true }),
    ...(query.comment === 'true' && { comment: true }),
    ...(path !== undefined && { path }),
    ...(environment !== undefined && { environment }),
    ci: ciOf(query.ci),
  };
}

function ciOf(text: string | undefined): HookOptions['ci'] {
  if (text === undefined) return null;
  if (text === 'wait' || text === 'ignore') return text;
  throw badParameter('The parameter ci must be wait or ignore.');
}

/**
 * Returns the choice of a push or its hook to wait for CI; null when they make none. A commit whose message skips CI
 * never waits, whatever the hook says, because no CI provider will call.
 */
export function ciChoiceOf(delivery: Delivery, { ci, previewCi: waits }: HookOptions): CiChoice | null {
  if (delivery.kind === 'pull') {
    return previewCi({ ...(waits && { ci: true }), ...(delivery.fromFork && { fromFork: true }) });
  }
  if (delivery.kind !== 'push') return null;
  if (ci === 'ignore') return { waits: false, because: "The hook's address says ci=ignore", from: 'hook' };
  if (delivery.skip?.ci) return { waits: false, because: `The commit's message says ${delivery.skip.words}` };
  return ci === 'wait' ? { waits: true, because: "the hook's address says ci=wait", from: 'hook' } : null;
}
