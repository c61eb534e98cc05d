import type { Delivery } from '../../core/payload/delivery.ts';
import type { HoldDecision } from '../../core/ports/ci-config.ts';
import type { HookCall, Sender } from '../../core/ports/sender.ts';
import type { Setup } from './setup.ts';
import type { SignatureScheme } from './signatures/scheme.ts';
import type { WebhookApi } from './webhook-api.ts';

/** A delivery without its `provider`, which `defineSender` adds. */
export type WithoutProvider<D extends Delivery> = D extends Delivery ? Omit<D, 'provider'> : never;

/** How a call is recognised: by the header first, or else by the shape of the body. */
export interface Recognition {
  /** The header that names the event, as the sender documents it: `X-GitHub-Event`. */
  readonly header?: string;
  /** Its values, where others belong to another sender; `*` at the end stands for any rest. */
  readonly events?: readonly string[];
  /** Fields (`repository.name`) that identify the body of a call without any known header. */
  readonly requiredFields?: readonly string[];
  /** Fields of the body with the value that they must have, with a header or without. */
  readonly fieldValues?: Readonly<Record<string, string>>;
  /** Fields that a body without a known header must not have, because they are another sender's. */
  readonly foreignFields?: readonly string[];
}

/** A CI configuration file in the repository, by which a push can be held until the build has passed. */
export interface ConfigFile {
  /** Path in the repository. */
  readonly path: string;
  /** The webhook may be configured outside the file too: a push also waits if the provider has called before. */
  readonly alsoElsewhere?: boolean;
  /** `map`: one YAML map of settings, anything else is refused. `documents`: one or more YAML documents of any kind. */
  readonly format: 'map' | 'documents';
  /** Decides by the parsed documents; none for an empty file. */
  decide(documents: readonly unknown[]): HoldDecision;
}

/** How a sender was tested: its payloads read, its signatures verified, a call run through the whole service. */
export interface Tested {
  /** The payloads: `fixtures`, … */
  readonly with: string;
  readonly how: readonly ('read' | 'signed' | 'run')[];
}

/** Everything that is known of a sender. Each is defined in one file and listed in `registry.ts`. */
export interface SenderDefinition extends Sender, Recognition {
  readonly sends: 'pushes' | 'builds';
  /** Null when the sender cannot sign its calls. */
  readonly signature: SignatureScheme | null;
  /** Null when no file in the repository says whether the provider will call. */
  readonly configFile: ConfigFile | null;
  /** When a push waits for the builds of this sender, for the documentation, where no file decides it. */
  readonly holds: string | null;
  /** How to set up the webhook; null when it cannot be, or needs no instructions. */
  readonly setup: Setup | null;
  /** How webhooks are created, listed and removed with the sender's own API; null when it has none. */
  readonly webhookApi: WebhookApi | null;
  /** The id of the sender as which its calls are recognised; null for a sender of its own. */
  readonly recognisedAs: string | null;
  readonly tested: Tested;
}

type Optional = 'webhook' | 'signature' | 'configFile' | 'holds' | 'setup' | 'webhookApi' | 'recognisedAs';

/** What a sender's file contains. What is left out is null; `webhook` is the sender itself. */
export interface SenderInput
  extends Omit<SenderDefinition, 'read' | Optional>,
    Partial<Pick<SenderDefinition, Optional>> {
  /** The `provider` of its deliveries in the log, if it is not the id. */
  readonly provider?: string;
  /** Reads a call; see `Sender`. Left out when the calls are recognised as another sender's. */
  readonly read?: (call: HookCall) => readonly WithoutProvider<Delivery>[];
}

/** Returns the definition of a sender, whose deliveries bear its id. */
export function defineSender({ provider, read, ...input }: SenderInput): SenderDefinition {
  return {
    webhook: input.id,
    signature: null,
    configFile: null,
    holds: null,
    setup: null,
    webhookApi: null,
    recognisedAs: null,
    ...input,
    read: (call) => {
      if (read === undefined) throw new Error(`A call of ${input.name} is read as one of ${input.recognisedAs}.`);
      return read(call).map((delivery): Delivery => ({ ...delivery, provider: provider ?? input.id }));
    },
  };
}
