import { DeployError } from '../../core/errors.ts';
import type { HookCall, Sender } from '../../core/ports/sender.ts';
import { hasField } from './fields/body.ts';
import type { DescribedSender } from './fields/described.ts';
import { announcement } from './fields/event-header.ts';
import { github } from './github.ts';
import { githubLegacy } from './github-legacy.ts';
import { travis } from './travis.ts';

/** Every sender, in the order of asking: those with a header of their own before those known by their body. */
export const senders: readonly DescribedSender[] = [github, travis, githubLegacy];

/**
 * The sender of a call. Throws `deploy:provider:not_supported` that says whose call it seems to be and what is missing,
 * or what would be understood.
 */
export function recognise(call: HookCall): Sender {
  const sender = senders.find((candidate) => candidate.recognises(call));
  if (sender !== undefined) return sender;
  throw new DeployError('deploy:provider:not_supported', announcedBy(call) ?? nearMiss(call) ?? understood());
}

function announcedBy({ headers }: HookCall): string | null {
  const announced = announcement(headers);
  if (announced === null) return null;
  const header = announced.header.replace(/(?<=^|-)[a-z]/g, (letter) => letter.toUpperCase());
  return `The header ${header} says that ${announced.by} calls, which is not supported yet. ${understood()}`;
}

/** The sender whose fields the body has most of, if it has any. */
function nearMiss({ body }: HookCall): string | null {
  const ranked = senders
    .map(({ name, needs }) => ({
      name,
      found: needs.filter((path) => hasField(body, path)),
      missing: needs.filter((path) => !hasField(body, path)),
    }))
    .sort((one, other) => other.found.length - one.found.length);
  const [best] = ranked;
  if (best === undefined || best.found.length === 0 || best.missing.length === 0) return null;
  return `The body has ${best.found.join(', ')} like one of ${best.name}, but lacks ${best.missing.join(', ')}.`;
}

function understood(): string {
  return `Understood are ${senders.map(({ knownBy }) => knownBy).join('; ')}.`;
}
