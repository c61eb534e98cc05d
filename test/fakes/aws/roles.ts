import type * as Iam from '@aws-sdk/client-iam';
import { AwsError, fakeClient } from './aws-error.ts';

interface Role extends Iam.CreateRoleCommandInput {
  readonly policies: Map<string, string>;
}

/** A fake of the roles of IAM. */
export class FakeRoles {
  readonly all = new Map<string, Role>();
  /** So many of the next calls that give a function one of these roles come before Lambda knows it. */
  unknownFor = 0;
  refusesPolicies = false;

  /** Whether Lambda may assume a role. */
  isKnown(arn: string): boolean {
    const name = arn.replace(/^.*\//, '');
    if (!this.all.has(name)) return name === 'apps';
    this.unknownFor -= 1;
    return this.unknownFor < 0;
  }

  client(): Iam.IAMClient {
    return fakeClient({
      CreateRoleCommand: (input: Iam.CreateRoleCommandInput) => {
        if (this.all.has(input.RoleName ?? '')) throw new AwsError('EntityAlreadyExistsException', 409);
        this.all.set(input.RoleName ?? '', { ...input, policies: new Map() });
      },
      PutRolePolicyCommand: ({ RoleName, PolicyName = '', PolicyDocument = '' }: Iam.PutRolePolicyCommandInput) => {
        if (this.refusesPolicies) throw new AwsError('ServiceFailureException', 500);
        this.#named(RoleName).policies.set(PolicyName, PolicyDocument);
      },
      DeleteRolePolicyCommand: ({ RoleName, PolicyName = '' }: Iam.DeleteRolePolicyCommandInput) => {
        if (!this.#named(RoleName).policies.delete(PolicyName)) throw new AwsError('NoSuchEntityException', 404);
      },
      DeleteRoleCommand: ({ RoleName = '' }: Iam.DeleteRoleCommandInput) => {
        if (this.#named(RoleName).policies.size > 0) throw new AwsError('DeleteConflictException', 409);
        this.all.delete(RoleName);
      },
    });
  }

  #named(name: string | undefined): Role {
    const found = this.all.get(name ?? '');
    if (found) return found;
    throw new AwsError('NoSuchEntityException', 404);
  }
}
