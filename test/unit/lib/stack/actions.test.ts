import { expect, it } from 'vitest';
import { policiesOf, serviceTemplate } from '../../../support/template/service-template.ts';

const { template } = serviceTemplate();

interface Statement {
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
  readonly Condition?: unknown;
}

/**
 * Every permission of every role is reviewed: a change of the list shows in the change of the file. To write it anew:
 * `npx vitest run --config test/vitest.config.ts test/unit/lib/stack/actions.test.ts -u`.
 */
it('Every role may do exactly what lib/stack/access/actions.txt lists', async () => {
  const rows = [...rolePolicies()].sort();
  const text = ['role | action | resource', ...rows, ''].join('\n');
  await expect(text).toMatchFileSnapshot('../../../../lib/stack/access/actions.txt');
});

function rolePolicies(): readonly string[] {
  return Object.entries(template.findResources('AWS::IAM::Role')).flatMap(([id, { Properties }]) => [
    ...statements(name(id), Properties.AssumeRolePolicyDocument, 'may be assumed by'),
    ...(Properties.ManagedPolicyArns ?? []).map((arn: unknown) => row(name(id), 'the managed policy', arn)),
    ...policiesOf({ properties: Properties }).flatMap(({ document }) => statements(name(id), document)),
  ]);
}

function statements(role: string, document: unknown, trust?: string): readonly string[] {
  const { Statement } = document as { readonly Statement: readonly (Statement & { readonly Principal?: unknown })[] };
  return Statement.flatMap(({ Effect, Action, Resource, Condition, Principal }) =>
    [Action].flat().flatMap((action) => {
      const given = Condition === undefined ? '' : ' (with a condition)';
      const what = trust ?? `${Effect === 'Allow' ? '' : 'not '}${action}${given}`;
      return [Resource ?? Principal].flat().map((one) => row(role, what, one));
    }),
  );
}

function row(role: string, action: string, resource: unknown): string {
  return `${role} | ${action} | ${inWords(resource)}`;
}

/** Returns a reference for a person: the names in it, without the digits that CDK appends and the digests of assets. */
function inWords(value: unknown): string {
  if (typeof value === 'string') return value.replace(/[\da-f]{64}(?=\.zip$)/, '<asset>');
  if (Array.isArray(value)) return value.map(inWords).join('');
  if (typeof value !== 'object' || value === null) return String(value);
  const [[key, inner] = ['', '']] = Object.entries(value);
  if (key === 'Ref') return name(String(inner));
  if (key === 'Fn::GetAtt') return name(String(inner[0]));
  if (key === 'Fn::Join') return inWords(inner[1]);
  return `${key} ${inWords(inner)}`;
}

function name(id: string): string {
  return id.replace(/[0-9A-F]{8}$/, '');
}
