import { DeployError } from '../../core/errors.ts';
import { type BuildVerdict, reasonAgainst } from '../../core/payload/branch.ts';
import type { Delivery } from '../../core/payload/delivery.ts';
import type { HoldDecision, HookCall, Sender } from '../../core/ports/sender.ts';
import type { Setup } from './setup.ts';
import type { SignatureScheme } from './signatures/scheme.ts';

/** A delivery without its `provider`, which `defineSender` adds. */
export type WithoutProvider<D extends Delivery> = D extends Delivery ? Omit<D, 'provider'> : never;

/** How a call is recognised: by the header first, or else by the shape of the body. */
export interface Recognition {
  /** The header that names the event, as the sender documents it: `X-GitHub-Event`. */
  readonly header?: string;
  /** The values of the header, when others belong to another sender; a trailing `*` matches any suffix. */
  readonly events?: readonly string[];
  /** Fields (`repository.name`) that identify the body of a call without any known header. */
  readonly requiredFields?: readonly string[];
  /** Required values of body fields, whether the header is present or not. */
  readonly fieldValues?: Readonly<Record<string, string>>;
  /** Fields that identify another sender's body, and must be missing in a body without a known header. */
  readonly foreignFields?: readonly string[];
}

/** A CI configuration file in the repository, which can hold a push until the build has passed. */
export interface ConfigFile {
  readonly path: string;
  /** Returns whether to hold a push, from the YAML map in the file. */
  decide(config: unknown): HoldDecision;
}

/** The definition of a sender. Each is in one file and listed in `registry.ts`. */
export interface SenderDefinition extends Sender, Recognition {
  readonly sends: 'pushes' | 'builds';
  /** Null when the sender cannot sign its calls. */
  readonly signature: SignatureScheme | null;
  /** Null when no file in the repository says whether the provider will call. */
  readonly configFile: ConfigFile | null;
  /** For the documentation: when a push waits for this sender's builds, if no configuration file decides it. */
  readonly holds: string | null;
  /** How to set up the webhook; null when it cannot be set up or needs no instructions. */
  readonly setup: Setup | null;
  /** The events of its webhook that previews need, as its settings call them; null when they are not read. */
  readonly previews: string | null;
}

type Optional = 'webhook' | 'signature' | 'configFile' | 'holds' | 'setup' | 'previews';

/** The input of `defineSender`. Omitted properties become null; `webhook` defaults to the id. */
interface SenderInput extends Omit<SenderDefinition, 'read' | Optional>, Partial<Pick<SenderDefinition, Optional>> {
  /** The `provider` of its deliveries, when it is not the id. */
  readonly provider?: string;
  readonly read: (call: HookCall) => readonly WithoutProvider<Delivery>[];
  /**
   * For senders of builds: returns how the build of a call ended, from as few fields as possible; null when the call
   * does not say. A call that `read` refuses becomes a notice when its build would have deployed nothing anyway,
   * because a provider must not see an error for a build that failed or was of a pull request.
   */
  readonly verdict?: (call: HookCall) => BuildVerdict | null;
}

export function defineSender({ provider, read, verdict, ...input }: SenderInput): SenderDefinition {
  return {
    webhook: input.id,
    signature: null,
    configFile: null,
    holds: null,
    setup: null,
    previews: null,
    ...input,
    read: (call) => {
      const deliveries = unlessHarmless(() => read(call), verdict?.(call) ?? null);
      return deliveries.map((delivery): Delivery => ({ ...delivery, provider: provider ?? input.id }));
    },
  };
}

type Deliveries = readonly WithoutProvider<Delivery>[];

/** Returns the deliveries, or a notice in place of the refusal of a build that ended and deploys nothing. */
function unlessHarmless(read: () => Deliveries, verdict: BuildVerdict | null): Deliveries {
  try {
    return read();
  } catch (error) {
    if (verdict === null || !(error instanceof DeployError) || !isHarmless(verdict)) throw error;
    const reason = reasonAgainst(verdict) ?? '';
    return [{ kind: 'notice', id: null, repository: null, reason }];
  }
}

function isHarmless({ pullRequest, outcome }: BuildVerdict): boolean {
  return pullRequest || outcome === 'failed' || outcome === 'neutral';
}
