import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Template } from 'aws-cdk-lib/assertions';
import { routes } from '../../../functions/api/routes.ts';
import { stages } from '../../../functions/core/pipeline/pipeline.ts';
import { ServiceStack } from '../../../lib/stack/service-stack.ts';
import { checkedApp } from '../../../lib/stack/synthesise.ts';

/** The folders under `functions/` that the service consists of. */
export const functionFolders: readonly string[] = [
  ...new Set([
    'authorize',
    'api-unknown',
    ...routes.map((route) => route.function),
    ...stages.map((stage) => `stage-${stage.name}`),
    'changes-register',
    'changes-signal',
    'reconcile',
    'report-status',
    'build-ended',
    'manage-users',
    'sweep',
    'watch-apps',
  ]),
].sort();

/** A resource of the template, with as much of its shape as CloudFormation promises. */
export interface Resource {
  readonly id: string;
  readonly type: string;
  /** The condition under which it is there; undefined: always. */
  readonly condition: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: the properties of a template are as deep as CloudFormation's schemas
  readonly properties: any;
}

interface ServiceTemplate {
  readonly template: Template;
  ofType(type: string): Resource[];
}

/** The template of all regions, which tests only read: making it takes most of a second. */
let ofAllRegions: ServiceTemplate | undefined;

/**
 * The template of the service, made from placeholder bundles: what it says does not depend on what functions do. Without
 * a region it is for all of them.
 */
export function serviceTemplate(region?: string): ServiceTemplate {
  if (region !== undefined) return synthesised(region);
  ofAllRegions ??= synthesised();
  return ofAllRegions;
}

function synthesised(region?: string): ServiceTemplate {
  const bundles = mkdtempSync(join(tmpdir(), 'bundles-'));
  try {
    for (const name of functionFolders) placeholder(join(bundles, name), name);
    const app = checkedApp({ outdir: join(bundles, 'out'), checkTemplate: false });
    const template = Template.fromStack(new ServiceStack(app, 'Service', { bundles, region }));
    return { template, ofType: (type) => resources(template, type) };
  } finally {
    rmSync(bundles, { recursive: true });
  }
}

/** An inline policy of a role, and the condition of the stacks in which the role has it; null: of all. */
export interface RolePolicy {
  readonly condition: string | null;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly document: any;
}

/** Returns the inline policies of a role. */
export function policiesOf({ properties }: Pick<Resource, 'properties'>): readonly RolePolicy[] {
  // biome-ignore lint/suspicious/noExplicitAny: as above
  return (properties.Policies ?? []).map((policy: any) => {
    const [condition, there] = policy['Fn::If'] ?? [null, policy];
    return { condition, document: there.PolicyDocument };
  });
}

/** Returns a statement as one for each of its resources: the CDK joins those with the same actions. */
export function perResource<S extends { readonly Resource: unknown }>(statement: S): readonly S[] {
  return [statement.Resource].flat().map((Resource) => ({ ...statement, Resource }));
}

/** Whether a statement is on applications: their table, bucket, builds, layer and variables, and what has their prefix. */
export function isOnApps(statement: unknown): boolean {
  return /"Apps|-app-|LambdaAdapterLayer|"app-variables"/.test(JSON.stringify(statement));
}

/** Returns what a part of the template is where these conditions hold, and no others. */
export function chosen(part: Resource['properties'], holding: readonly string[]): Resource['properties'] {
  const [condition, then, otherwise] = part?.['Fn::If'] ?? [];
  return condition === undefined ? part : chosen(holding.includes(condition) ? then : otherwise, holding);
}

/** The logical id that a `Ref` or `Fn::GetAtt` points to. */
export function target(reference: unknown): string {
  if (typeof reference !== 'object' || reference === null) throw new Error('That is not a reference.');
  if ('Ref' in reference) return String(reference.Ref);
  if ('Fn::GetAtt' in reference && Array.isArray(reference['Fn::GetAtt'])) return String(reference['Fn::GetAtt'][0]);
  throw new Error('That is neither a Ref nor a Fn::GetAtt.');
}

function resources(template: Template, type: string): Resource[] {
  return Object.entries(template.findResources(type)).map(([id, resource]) => ({
    id,
    type,
    condition: resource.Condition,
    properties: resource.Properties,
  }));
}

/** Differs from function to function, so that each is an asset of its own. */
function placeholder(folder: string, name: string): void {
  mkdirSync(folder);
  writeFileSync(join(folder, 'index.mjs'), `export const handler = async () => '${name}';\n`);
}
