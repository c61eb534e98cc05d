import { ACCOUNT, REGION } from '../../aws-local/clients.ts';
import {
  type Action,
  type Parameters,
  QueryError,
  type QueryService,
  type Xml,
} from '../../aws-local/wire/query-server.ts';

/** A resource, as CloudFormation lists it. */
interface FakeResource {
  readonly logicalId: string;
  readonly type: string;
  readonly physicalId: string;
  readonly status: string;
}

/** A stack in the account. */
interface FakeStack {
  readonly name: string;
  readonly id: string;
  status: string;
  template: string;
  outputs: Readonly<Record<string, string>>;
  parameters: Readonly<Record<string, string>>;
  resources: readonly FakeResource[];
}

/** CloudFormation without what it creates: stacks change their state at once. */
export interface FakeCloudFormation {
  readonly service: QueryService;
  /** All stacks, deleted ones as well. */
  readonly stacks: readonly FakeStack[];
  /** Makes a stack, or changes that of the name. */
  put(stack: Partial<FakeStack> & Pick<FakeStack, 'name'>): FakeStack;
  /** Marks a stack as deleted; what its template says to keep is skipped. */
  remove(name: string): void;
  /** Forgets all stacks. */
  reset(): void;
}

const TIME = '2026-01-01T00:00:00.000Z';
/** Of ListStackResources; a hundred on AWS. */
const PAGE = 2;

/** Returns an empty account. */
export function fakeCloudFormation(): FakeCloudFormation {
  const stacks: FakeStack[] = [];
  const changeSets = new Map<string, () => void>();
  const alive = (name = '') => stacks.find((one) => one.id === name || (one.name === name && !isDeleted(one)));
  const existing = (name = ''): FakeStack => {
    const stack = alive(name);
    if (stack) return stack;
    throw new QueryError('ValidationError', `Stack with id ${name} does not exist`);
  };
  const put: FakeCloudFormation['put'] = ({ name, ...fields }) => {
    const known = alive(name);
    if (known) return Object.assign(known, fields);
    const id = `arn:aws:cloudformation:${REGION}:${ACCOUNT}:stack/${name}/${stacks.length + 1}`;
    const empty = { status: 'CREATE_COMPLETE', template: '{}', outputs: {}, parameters: {}, resources: [] };
    const made = { ...empty, ...fields, name, id };
    stacks.push(made);
    return made;
  };
  const remove = (name: string) => {
    const stack = existing(name);
    stack.status = 'DELETE_COMPLETE';
    stack.resources = stack.resources.map((one) => ({
      ...one,
      status: isKept(one) ? 'DELETE_SKIPPED' : 'DELETE_COMPLETE',
    }));
  };
  const actions: Readonly<Record<string, Action>> = {
    DescribeStacks: {
      takes: ['StackName', 'NextToken'],
      run: ({ StackName }) => ({ Stacks: (StackName ? [existing(StackName)] : stacks).map(stackXml) }),
    },
    ListStackResources: {
      takes: ['StackName', 'NextToken'],
      needs: ['StackName'],
      run: ({ StackName, NextToken = '0' }) => {
        const from = Number(NextToken);
        const { resources } = existing(StackName);
        return {
          StackResourceSummaries: resources.slice(from, from + PAGE).map(resourceXml),
          ...(resources.length > from + PAGE && { NextToken: String(from + PAGE) }),
        };
      },
    },
    GetTemplate: {
      takes: ['StackName', 'ChangeSetName', 'TemplateStage'],
      run: ({ StackName }) => ({ TemplateBody: existing(StackName).template, StagesAvailable: ['Original'] }),
    },
    CreateChangeSet: {
      takes: CREATE_CHANGE_SET,
      needs: ['StackName', 'ChangeSetName'],
      run: (given) => {
        const before = alive(given.StackName);
        const stack = before ?? put({ name: given.StackName ?? '', status: 'REVIEW_IN_PROGRESS' });
        const id = `${stack.id}/${given.ChangeSetName}`;
        const execute = () => {
          stack.parameters = parametersOf(given, before?.parameters ?? {});
          stack.template = given.TemplateBody ?? stack.template;
          stack.status = before ? 'UPDATE_COMPLETE' : 'CREATE_COMPLETE';
        };
        // Either names it.
        for (const name of [id, given.ChangeSetName ?? '']) changeSets.set(name, execute);
        return { Id: id, StackId: stack.id };
      },
    },
    DescribeChangeSet: {
      takes: ['ChangeSetName', 'StackName', 'NextToken', 'IncludePropertyValues'],
      run: ({ ChangeSetName = '', StackName }) => {
        if (!changeSets.has(ChangeSetName)) throw noChangeSet(ChangeSetName);
        const change = { Action: 'Add', LogicalResourceId: 'One', ResourceType: 'AWS::SQS::Queue' };
        return {
          ...{ ChangeSetName, ChangeSetId: ChangeSetName, StackId: existing(StackName).id, StackName },
          ...{ Status: 'CREATE_COMPLETE', ExecutionStatus: 'AVAILABLE', CreationTime: TIME },
          Changes: [{ Type: 'Resource', ResourceChange: change }],
        };
      },
    },
    ExecuteChangeSet: {
      takes: ['ChangeSetName', 'StackName', 'ClientRequestToken', 'DisableRollback', 'RetainExceptOnCreate'],
      run: ({ ChangeSetName = '' }) => {
        changeSets.get(ChangeSetName)?.();
        return {};
      },
    },
    DeleteChangeSet: {
      takes: ['ChangeSetName', 'StackName'],
      run: ({ ChangeSetName = '' }) => {
        changeSets.delete(ChangeSetName);
        return {};
      },
    },
    DescribeStackEvents: {
      takes: ['StackName', 'NextToken'],
      needs: ['StackName'],
      run: ({ StackName }) => ({ StackEvents: existing(StackName) && [] }),
    },
    DescribeEvents: {
      takes: ['StackName', 'ChangeSetName', 'OperationId', 'Filters.FailedEvents', 'NextToken'],
      run: () => ({ OperationEvents: [] }),
    },
    DescribeStackResources: {
      takes: ['StackName', 'LogicalResourceId', 'PhysicalResourceId'],
      run: ({ StackName }) => ({ StackResources: existing(StackName).resources.map(resourceXml) }),
    },
    DeleteStack: {
      takes: [
        'StackName',
        'RoleARN',
        'ClientRequestToken',
        'RetainResources.member.N',
        'DeletionMode',
        'DeploymentConfig.Mode',
      ],
      run: ({ StackName = '' }) => {
        remove(StackName);
        return {};
      },
    },
  };
  const namespace = 'http://cloudformation.amazonaws.com/doc/2010-05-15/';
  return {
    service: { version: '2010-05-15', namespace, actions },
    stacks,
    put,
    remove,
    reset: () => {
      stacks.length = 0;
    },
  };
}

/** https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_CreateChangeSet.html */
const CREATE_CHANGE_SET = [
  ...['StackName', 'ChangeSetName', 'ChangeSetType', 'ClientToken', 'Description', 'TemplateBody', 'TemplateURL'],
  ...['UsePreviousTemplate', 'RoleARN', 'Capabilities.member.N', 'IncludeNestedStacks', 'ImportExistingResources'],
  ...['Parameters.member.N.ParameterKey', 'Parameters.member.N.ParameterValue'],
  ...['Parameters.member.N.UsePreviousValue', 'Tags', 'NotificationARNs', 'ResourcesToImport', 'DeploymentMode'],
  ...['Parameters', 'Tags.member.N.Key', 'Tags.member.N.Value', 'OnStackFailure', 'DeploymentConfig.Mode'],
];

function noChangeSet(name: string): QueryError {
  return new QueryError('ChangeSetNotFound', `ChangeSet [${name}] does not exist`, 404);
}

function isDeleted({ status }: FakeStack): boolean {
  return status === 'DELETE_COMPLETE';
}

/** What the service's template says to keep. */
function isKept({ type }: FakeResource): boolean {
  return ['AWS::DynamoDB::GlobalTable', 'AWS::S3::Bucket', 'AWS::KMS::Key'].includes(type);
}

function parametersOf(given: Parameters, before: Readonly<Record<string, string>>): Record<string, string> {
  const keys = Object.keys(given).filter((name) => name.endsWith('.ParameterKey'));
  return Object.fromEntries(
    keys.map((name) => {
      const key = given[name] ?? '';
      const isPrevious = given[name.replace('ParameterKey', 'UsePreviousValue')] === 'true';
      return [key, isPrevious ? (before[key] ?? '') : (given[name.replace('ParameterKey', 'ParameterValue')] ?? '')];
    }),
  );
}

function stackXml({ name, id, status, outputs, parameters }: FakeStack): Xml {
  return {
    ...{ StackName: name, StackId: id, StackStatus: status, CreationTime: TIME, DisableRollback: 'false' },
    Outputs: Object.entries(outputs).map(([OutputKey, OutputValue]) => ({ OutputKey, OutputValue })),
    Parameters: Object.entries(parameters).map(([ParameterKey, ParameterValue]) => ({ ParameterKey, ParameterValue })),
  };
}

function resourceXml({ logicalId, type, physicalId, status }: FakeResource): Xml {
  return {
    ...{ LogicalResourceId: logicalId, ResourceType: type, PhysicalResourceId: physicalId },
    ...{ ResourceStatus: status, LastUpdatedTimestamp: TIME, Timestamp: TIME },
  };
}
