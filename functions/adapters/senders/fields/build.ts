import type { BuildVerdict } from '../../../core/payload/branch.ts';
import type { BuildResult } from '../../../core/payload/delivery.ts';
import { oneLine } from '../../../core/text.ts';
import type { WithoutProvider } from '../define-sender.ts';
import { webAddress } from './address.ts';
import { messageFields } from './commit.ts';
import { verdictFields } from './verdict.ts';

/** A build as its sender describes it: texts of any length, or none. */
interface SentBuild extends Pick<BuildResult, 'hostKind' | 'id' | 'repository' | 'sha' | 'branch' | 'head'> {
  readonly shaPrefix?: string | null;
  /** The name of the check, and the one that it has without. */
  readonly check: readonly [sent: string | null | undefined, usual: string];
  readonly verdict: BuildVerdict;
  readonly message?: string | null | undefined;
  readonly author?: string | null | undefined;
  readonly url?: string | null | undefined;
}

export function buildResult({
  check,
  verdict,
  message,
  author,
  url,
  ...sent
}: SentBuild): WithoutProvider<BuildResult> {
  const [name, usual] = check;
  return {
    kind: 'build',
    shaPrefix: null,
    ...sent,
    check: oneLine(name ?? '', 100) ?? usual,
    ...verdictFields(verdict),
    ...messageFields(message),
    author: oneLine(author ?? '', 100),
    url: webAddress(url)?.href ?? null,
  };
}
