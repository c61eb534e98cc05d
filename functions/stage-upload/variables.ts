import type { Entry } from '../core/entry/entry.ts';
import { appName } from '../core/entry/package-name.ts';
import { DeployError } from '../core/errors.ts';
import type { AppVariables } from '../core/ports/applications.ts';
import type { AppRef } from '../core/ports/platform.ts';
import { previewVariables } from '../core/preview/variables.ts';

/** The part of the variables that giving them to a preview needs. */
export type VariablesPort = Pick<AppVariables, 'read' | 'set'>;

/**
 * Gives a preview the variables of its parent that are marked for previews, with their values of now. Others that it has
 * stay. Throws `deploy:platform:upload_tarball`, retryable.
 */
export async function giveVariables(
  { user, pullRequest }: Pick<Entry, 'user' | 'pullRequest'>,
  preview: AppRef,
  variables: VariablesPort,
): Promise<void> {
  if (pullRequest?.parent === undefined) return;
  const parent = { user, app: appName(pullRequest.parent) };
  try {
    const marked = previewVariables((await variables.read(parent)) ?? {});
    if (Object.keys(marked).length > 0) await variables.set({ user, app: preview.app }, marked);
  } catch (cause) {
    const detail = `The variables of ${parent.app} that are marked for previews could not be given to ${preview.app}.`;
    throw new DeployError('deploy:platform:upload_tarball', detail, { retry: true, cause });
  }
}
