import type { Sender } from '../../../core/ports/sender.ts';

/** A sender that can say how it is known, for whoever sent something else. */
export interface DescribedSender extends Sender {
  /** What it looks for, as the end of a sentence: `the header X-GitHub-Event`. */
  readonly knownBy: string;
  /** Fields (`repository.name`) by which its body is known without a header; none when only the header counts. */
  readonly needs: readonly string[];
}
