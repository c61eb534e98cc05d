import {
  CreateRoleCommand,
  DeleteRoleCommand,
  DeleteRolePolicyCommand,
  IAMClient,
  PutRolePolicyCommand,
} from '@aws-sdk/client-iam';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { clientFor } from '../../aws-local/clients.ts';
import { openRoles, type Roles } from '../../aws-local/iam/roles.ts';
import { type QueryServer, startQueryServer } from '../../aws-local/wire/query-server.ts';
import { templateOf } from '../../support/aws-local/template-fixture.ts';

const own = 'arn:aws:logs:us-east-1:000000000000:log-group:/aws/lambda/shop-app-1';
const allow = (Action: string | string[], Resource: string) => ({ Statement: [{ Effect: 'Allow', Action, Resource }] });
const trust = (Service: string) => JSON.stringify({ Statement: [{ Effect: 'Allow', Principal: { Service } }] });
const Bounds = ['AWS::IAM::ManagedPolicy', { PolicyDocument: allow('logs:*', `${own}:*`) }] as const;
const PermissionsBoundary = 'arn:aws:iam::000000000000:policy/Bounds';
const arn = 'arn:aws:iam::000000000000:role/shop';

let roles: Roles;
let warnings: string[];
let server: QueryServer;
let iam: IAMClient;
beforeEach(async () => {
  warnings = [];
  roles = openRoles({
    template: templateOf({ Bounds: [...Bounds] }),
    declared: new Set(),
    denialOf: () => undefined,
    warn: (warning) => warnings.push(warning),
  });
  server = await startQueryServer(roles.service);
  iam = new IAMClient(clientFor(server.endpoint));
});
afterEach(async () => {
  iam.destroy();
  await server.close();
  expect(server.mistakes).toEqual([]);
});

const create = (service = 'lambda.amazonaws.com') =>
  iam.send(new CreateRoleCommand({ RoleName: 'shop', AssumeRolePolicyDocument: trust(service), PermissionsBoundary }));
const put = (document: object) =>
  iam.send(new PutRolePolicyCommand({ RoleName: 'shop', PolicyName: 'own', PolicyDocument: JSON.stringify(document) }));

it('Lambda may assume a role that trusts it, a moment after it was created', async () => {
  await create();
  expect(roles.has(arn)).toBe(false);
  await vi.waitFor(() => expect(roles.has(arn)).toBe(true), { timeout: 10_000 });
  await expect(create()).rejects.toMatchObject({ name: 'EntityAlreadyExistsException' });
});

it('A role may do what its policies and its boundary allow both', async () => {
  const may = (resource: string, action = 'logs:PutLogEvents') =>
    roles.denialOf(arn, [{ action, resource }], 'expected') === undefined;
  expect(may(`${own}:log-stream:1`)).toBe(false);
  await create();
  expect(may(`${own}:log-stream:1`)).toBe(false);
  await put(allow('logs:PutLogEvents', '*'));
  expect([may(`${own}:log-stream:1`), may(`${own}2:log-stream:1`)]).toEqual([true, false]);
  expect(may(`${own}:log-stream:1`, 'logs:CreateLogStream')).toBe(false);
  expect(warnings).toEqual([]);
  roles.denialOf(arn, [{ action: 'logs:PutLogEvents', resource: `${own}2:log-stream:1` }]);
  expect(warnings).toEqual([expect.stringContaining('not authorized to perform: logs:PutLogEvents')]);
});

it('A role is deleted once its policies are', async () => {
  await create();
  await put(allow('logs:PutLogEvents', '*'));
  const remove = new DeleteRoleCommand({ RoleName: 'shop' });
  await expect(iam.send(remove)).rejects.toMatchObject({ name: 'DeleteConflictException' });
  await iam.send(new DeleteRolePolicyCommand({ RoleName: 'shop', PolicyName: 'own' }));
  await iam.send(remove);
  await expect(iam.send(remove)).rejects.toMatchObject({ name: 'NoSuchEntityException' });
});
