import { describe, expect, it } from 'vitest';
import { serviceTemplate } from '../../../../support/template/service-template.ts';

const { Conditions, Resources, Outputs, Parameters: declared, Rules } = serviceTemplate().template.toJSON();
/** One region with builds on Lambda, one without. */
const Parameters = { ...declared, 'AWS::Region': { Default: 'us-east-1', AllowedValues: ['us-east-1', 'eu-west-2'] } };

/** The values of the parameters of a deploy. */
type Values = Readonly<Record<string, string>>;

interface Part {
  readonly Condition?: string;
}

/** Calls `see` with each object of a part of the template, the outer ones first. */
function walk(part: unknown, see: (one: Readonly<Record<string, unknown>>) => void): void {
  if (typeof part !== 'object' || part === null) return;
  if (!Array.isArray(part)) see(part as Readonly<Record<string, unknown>>);
  for (const inner of Object.values(part)) walk(inner, see);
}

/** What conditions compare each parameter with. */
const compared = new Map<string, Set<string>>();
walk(Conditions, (one) => {
  const [left, right] = (one['Fn::Equals'] ?? []) as [{ Ref: string }, string];
  if (left) compared.set(left.Ref, (compared.get(left.Ref) ?? new Set()).add(right));
});

function holds(expression: unknown, values: Values): boolean {
  const [[operator, argument] = ['', null]] = Object.entries(expression as object);
  const all = () => (argument as unknown[]).map((one) => holds(one, values));
  if (operator === 'Condition') return holds(Conditions[String(argument)], values);
  if (operator === 'Fn::Not') return !all()[0];
  if (operator === 'Fn::And') return all().every(Boolean);
  if (operator === 'Fn::Or') return all().some(Boolean);
  const [{ Ref }, value] = argument as [{ Ref: string }, string];
  return values[Ref] === value;
}

const isThere = ({ Condition }: Part, values: Values) =>
  Condition === undefined || holds(Conditions[Condition], values);

/** Returns the names that a part of the template refers to, when only one side of each `Fn::If` counts. */
function referredTo(part: unknown, values: Values): string[] {
  if (Array.isArray(part)) return part.flatMap((one) => referredTo(one, values));
  if (typeof part === 'string') return [];
  if (typeof part !== 'object' || part === null) return [];
  return Object.entries(part).flatMap(([key, value]) => {
    if (key === 'Ref') return [String(value)];
    if (key === 'Fn::GetAtt') return [String(Array.isArray(value) ? value[0] : value).split('.')[0] ?? ''];
    if (key === 'Fn::Sub') return [...String(value).matchAll(/\$\{([\w:]+)/g)].map(([, name = '']) => name);
    if (key !== 'Fn::If') return referredTo(value, values);
    const [name, then, otherwise] = value as [string, unknown, unknown];
    return referredTo(holds(Conditions[name], values) ? then : otherwise, values);
  });
}

/** Returns `<part> → <name>` for each reference to what a deploy with these values does not have. */
function dangling(values: Values): string[] {
  const parts: Record<string, Part> = { ...Resources, ...Outputs };
  const isKnown = (name: string) =>
    name.startsWith('AWS::') || name in Parameters || (name in Resources && isThere(Resources[name], values));
  return Object.entries(parts)
    .filter(([, part]) => isThere(part, values))
    .flatMap(([id, part]) =>
      referredTo(part, values)
        .filter((name) => !isKnown(name))
        .map((name) => `${id} → ${name}`),
    );
}

const defaults: Values = Object.fromEntries(
  Object.entries<{ Default?: unknown }>(Parameters).map(([name, { Default }]) => [name, String(Default)]),
);

/** Values of each parameter that conditions tell apart: those that they name, and another one. */
const alternatives = [...compared].map(([name, named]) => {
  const { AllowedValues } = Parameters[name];
  return { name, values: AllowedValues ?? [...named, 'another'] } as { name: string; values: readonly string[] };
});

describe('a stack', () => {
  it('refers to nothing that it does not have, whichever option is chosen: CloudFormation refuses that', () => {
    expect(dangling(defaults)).toEqual([]);
    for (const { name, values } of alternatives) {
      for (const value of values) expect(dangling({ ...defaults, [name]: value }), `${name}=${value}`).toEqual([]);
    }
  });

  it('does so with all options together', () => {
    const all = alternatives.map(({ name, values }) => [name, values.find((one) => one !== defaults[name]) ?? '']);
    expect(dangling({ ...defaults, ...Object.fromEntries(all) })).toEqual([]);
  });
});

it('The conditions compare parameters with values, and every rule names parameters that there are', () => {
  expect([...compared.keys()].filter((name) => !(name in Parameters))).toEqual([]);
  expect(compared.size).toBeGreaterThan(6);
  expect(referredTo(Rules, defaults).filter((name) => !(name in Parameters))).toEqual([]);
});
