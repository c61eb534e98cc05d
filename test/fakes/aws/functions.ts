import type * as Lambda from '@aws-sdk/client-lambda';
import { AwsError, fakeClient } from './aws-error.ts';
import type { FakeRoles } from './roles.ts';

/** The program in a release, as the tests make it. */
export interface Program {
  readonly version: string;
  readonly behaviour: string;
}

interface Version {
  readonly number: string;
  readonly description: string;
  readonly program: Program;
  readonly environment: Readonly<Record<string, string>>;
  /** The name of its role. */
  readonly role: string;
}

interface Fake {
  role: string;
  environment: Readonly<Record<string, string>>;
  program: Program;
  description: string;
  revision: number;
  /** How many more looks at the function find its last change under way. */
  changing: number;
  readonly versions: Version[];
  published: number;
  live: string | null;
  url: string | null;
  readonly permissions: Set<string>;
  concurrency: number | null;
}

/** A fake of Lambda's control plane: what the platform uses of it, with the states that a change goes through. */
export class FakeFunctions {
  readonly all = new Map<string, Fake>();
  readonly calls: string[] = [];
  readonly #programAt: (key: string) => Program;
  readonly #roles: FakeRoles;

  constructor(programAt: (key: string) => Program, roles: FakeRoles) {
    this.#programAt = programAt;
    this.#roles = roles;
  }

  /** Returns what answers at an address. */
  at(url: string): Version | undefined {
    const found = [...this.all.values()].find((one) => one.url === `${url}/`);
    if (!found || found.concurrency === 0 || found.permissions.size < 2) return undefined;
    return found.versions.find(({ number }) => number === found.live);
  }

  client(): Lambda.LambdaClient {
    const calls = {
      GetFunctionCommand: this.#look,
      CreateFunctionCommand: this.#create,
      UpdateFunctionConfigurationCommand: this.#configure,
      UpdateFunctionCodeCommand: this.#load,
      ListVersionsByFunctionCommand: this.#list,
      InvokeCommand: this.#invoke,
      UpdateAliasCommand: this.#point,
      CreateAliasCommand: this.#makeAlias,
      GetFunctionUrlConfigCommand: this.#urlOf,
      CreateFunctionUrlConfigCommand: this.#makeUrl,
      AddPermissionCommand: this.#permit,
      PutFunctionConcurrencyCommand: this.#limit,
      DeleteFunctionConcurrencyCommand: this.#unlimit,
      DeleteFunctionCommand: this.#remove,
    };
    const noted = Object.entries(calls).map(([name, call]) => [
      name,
      (input: never) => {
        this.calls.push(name.replace(/Command$/, ''));
        return call(input);
      },
    ]);
    return fakeClient(Object.fromEntries(noted));
  }

  #named(name: string | undefined): Fake {
    const found = this.all.get(name ?? '');
    if (found) return found;
    throw new AwsError('ResourceNotFoundException', 404, `Function not found: ${name}`);
  }

  /** Returns a function that can be changed. */
  #settled(name: string | undefined, revision?: string): Fake {
    const found = this.#named(name);
    if (found.changing > 0) throw new AwsError('ResourceConflictException', 409, 'An update is in progress.');
    if (revision !== undefined && revision !== String(found.revision)) {
      throw new AwsError('PreconditionFailedException', 412, 'The revision has changed.');
    }
    return found;
  }

  #look = ({ FunctionName, Qualifier }: Lambda.GetFunctionCommandInput) => {
    const found = this.#named(FunctionName);
    const isChanging = Qualifier === undefined && found.changing > 0;
    if (isChanging) found.changing -= 1;
    const LastUpdateStatus = isChanging ? 'InProgress' : 'Successful';
    return { Configuration: { State: 'Active', LastUpdateStatus, RevisionId: String(found.revision) } };
  };

  /** Returns the name of a role that Lambda may assume. */
  #roleOf(arn = ''): string {
    if (this.#roles.isKnown(arn)) return arn.replace(/^.*\//, '');
    const message = 'The role defined for the function cannot be assumed by Lambda.';
    throw new AwsError('InvalidParameterValueException', 400, message);
  }

  #create = ({
    FunctionName = '',
    Role,
    Environment,
    Code,
    Description = '',
    Publish,
  }: Lambda.CreateFunctionCommandInput) => {
    if (this.all.has(FunctionName)) throw new AwsError('ResourceConflictException', 409);
    this.all.set(FunctionName, {
      role: this.#roleOf(Role),
      environment: Environment?.Variables ?? {},
      program: this.#programAt(Code?.S3Key ?? ''),
      description: Description,
      revision: 1,
      changing: 0,
      versions: [],
      published: 0,
      live: null,
      url: null,
      permissions: new Set(),
      concurrency: null,
    });
    return Publish ? this.#publish(FunctionName) : undefined;
  };

  #configure = (input: Lambda.UpdateFunctionConfigurationCommandInput) => {
    const { FunctionName, Role, Environment, Description = '' } = input;
    const found = this.#settled(FunctionName);
    found.role = this.#roleOf(Role);
    found.environment = Environment?.Variables ?? {};
    found.description = Description;
    found.revision += 1;
    found.changing = 1;
  };

  #load = ({ FunctionName, S3Key = '', RevisionId, Publish }: Lambda.UpdateFunctionCodeCommandInput) => {
    const found = this.#settled(FunctionName, RevisionId);
    found.program = this.#programAt(S3Key);
    found.revision += 1;
    return Publish ? this.#publish(FunctionName) : undefined;
  };

  #publish = (FunctionName: string | undefined) => {
    const found = this.#named(FunctionName);
    const { program, environment, description, role } = found;
    const last = found.versions.at(-1);
    if (last?.program === program && last.environment === environment) return { Version: last.number };
    found.published += 1;
    found.versions.push({ number: String(found.published), description, program, environment, role });
    return { Version: String(found.published) };
  };

  #list = ({ FunctionName }: Lambda.ListVersionsByFunctionCommandInput) => {
    const versions = this.#named(FunctionName).versions;
    return {
      Versions: [
        { Version: '$LATEST' },
        ...versions.map(({ number, description }) => ({ Version: number, Description: description })),
      ],
    };
  };

  #invoke = ({ FunctionName, Qualifier }: Lambda.InvokeCommandInput) => {
    const found = this.#named(FunctionName);
    if (found.concurrency === 0) throw new AwsError('TooManyRequestsException', 429);
    const version = found.versions.find(({ number }) => number === Qualifier);
    const answer = (text: object) => Buffer.from(JSON.stringify(text));
    if (version?.program.behaviour === 'runs') return { Payload: answer({ statusCode: 200, body: 'hello' }) };
    if (version?.program.behaviour === 'answers 500') return { Payload: answer({ statusCode: 500 }) };
    const lines = [
      'START RequestId: 1 Version: 1',
      'no database here',
      'END RequestId: 1',
      'REPORT RequestId: 1\tDuration: 1 ms',
    ];
    return {
      FunctionError: 'Unhandled',
      Payload: answer({ errorType: 'Runtime.ExitError', errorMessage: 'Runtime exited with error: exit status 1' }),
      LogResult: Buffer.from(`${lines.join('\n')}\n`).toString('base64'),
    };
  };

  #point = ({ FunctionName, FunctionVersion = '' }: Lambda.UpdateAliasCommandInput) => {
    const found = this.#named(FunctionName);
    if (found.live === null) throw new AwsError('ResourceNotFoundException', 404);
    found.live = FunctionVersion;
  };

  #makeAlias = ({ FunctionName, FunctionVersion = '' }: Lambda.CreateAliasCommandInput) => {
    this.#named(FunctionName).live = FunctionVersion;
  };

  #urlOf = ({ FunctionName }: Lambda.GetFunctionUrlConfigCommandInput) => {
    const { url } = this.#named(FunctionName);
    if (url === null) throw new AwsError('ResourceNotFoundException', 404);
    return { FunctionUrl: url };
  };

  #makeUrl = ({ FunctionName }: Lambda.CreateFunctionUrlConfigCommandInput) => {
    const found = this.#named(FunctionName);
    found.url = `https://${FunctionName}.lambda-url.us-east-1.on.aws/`;
    return { FunctionUrl: found.url };
  };

  #permit = ({ FunctionName, StatementId = '' }: Lambda.AddPermissionCommandInput) => {
    const { permissions } = this.#named(FunctionName);
    if (permissions.has(StatementId)) throw new AwsError('ResourceConflictException', 409);
    permissions.add(StatementId);
  };

  #limit = ({ FunctionName, ReservedConcurrentExecutions }: Lambda.PutFunctionConcurrencyCommandInput) => {
    this.#named(FunctionName).concurrency = ReservedConcurrentExecutions ?? null;
  };

  #unlimit = ({ FunctionName }: Lambda.DeleteFunctionConcurrencyCommandInput) => {
    this.#named(FunctionName).concurrency = null;
  };

  #remove = ({ FunctionName = '', Qualifier }: Lambda.DeleteFunctionCommandInput) => {
    const found = this.#named(FunctionName);
    if (Qualifier === undefined) return void this.all.delete(FunctionName);
    if (Qualifier === found.live) throw new AwsError('ResourceConflictException', 409);
    found.versions.splice(0, Infinity, ...found.versions.filter(({ number }) => number !== Qualifier));
  };
}
