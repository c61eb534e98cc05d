import { describe, expect, it } from 'vitest';
import { senders } from '../../../../../functions/adapters/senders/registry.ts';
import { DeployError } from '../../../../../functions/core/errors.ts';
import { reasonAgainst } from '../../../../../functions/core/payload/branch.ts';
import type { Delivery } from '../../../../../functions/core/payload/delivery.ts';
import type { HookCall } from '../../../../../functions/core/ports/sender.ts';
import { call, fixture, fixtures, recognise } from '../../../../support/senders/sender-call.ts';

const builders = senders.filter(({ sends }) => sends === 'builds').map(({ id }) => id);
const builds = fixtures()
  .filter(({ sender }) => builders.includes(sender))
  .flatMap(({ names }) => names)
  .flatMap((name) =>
    recognise(fixture(name))
      .read(fixture(name))
      .map((delivery) => ({ name, delivery })),
  );

/** The fields that name the commit, the repository or the build itself, by any sender. */
const identifying = [
  'sha',
  'hash',
  'commit',
  'commit_sha',
  'head_sha',
  'checkout_sha',
  'revision',
  'after',
  'id',
  'number',
  'path_with_namespace',
  'repository',
  'owner',
  'owner_name',
  'slug',
  'url',
  'href',
];

/** Returns a body without a valid value in any field that identifies something. */
function anonymous(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(anonymous);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      const isLeaf = typeof inner !== 'object' || inner === null;
      return [
        key,
        identifying.some((name) => name.toLowerCase() === key.toLowerCase()) && isLeaf ? '-' : anonymous(inner),
      ];
    }),
  );
}

function read(hook: HookCall): readonly Delivery[] | DeployError {
  try {
    return recognise(hook).read(hook);
  } catch (error) {
    if (error instanceof DeployError) return error;
    throw error;
  }
}

describe('a build that cannot be read', () => {
  it('is covered by a build of each sender that did not pass', () => {
    const covered = new Set(
      builds.flatMap(({ name, delivery }) =>
        delivery.kind === 'build' && reasonAgainst(delivery) !== null ? [name.split('/')[0]] : [],
      ),
    );
    expect(builders.filter((id) => !covered.has(id))).toEqual([]);
  });

  for (const { name, delivery } of builds) {
    if (delivery.kind !== 'build') continue;
    const reason = reasonAgainst(delivery);
    const { headers, body } = fixture(name);
    const damaged = call(
      anonymous(body),
      Object.fromEntries(Object.entries(headers).map(([key, text = '']) => [key, text])),
    );
    if (reason === null || (delivery.outcome === 'pending' && !delivery.pullRequest)) {
      it(`is refused when it passed or has not ended: ${name}`, () => {
        expect(read(damaged)).toMatchObject({ code: 'deploy:provider:not_supported', status: 400 });
      });
    } else {
      it(`is accepted and deploys nothing, because it failed or is of a pull request: ${name}`, () => {
        expect(read(damaged)).toEqual([
          { kind: 'notice', provider: delivery.provider, id: null, repository: null, reason },
        ]);
      });
    }
  }

  it('is refused when the call does not say how it ended', () => {
    const body = { type: 'workflow-completed', workflow: {} };
    expect(read(call(body, { 'circleci-event-type': 'x' }))).toBeInstanceOf(DeployError);
  });
});
