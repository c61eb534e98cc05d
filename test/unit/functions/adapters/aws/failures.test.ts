import { expect, it } from 'vitest';
import { onAws } from '../../../../../functions/adapters/aws/failures.ts';
import { AwsError } from '../../../../fakes/aws/aws-error.ts';

function failing(name: string, status: number, message: string) {
  return onAws('deploy:tar:extract_failed', 'the build of 1.0.0-7', async () => {
    throw new AwsError(name, status, message);
  });
}

it('A quota that is reached is told with the sentence of AWS and the name of the quota, and tried again', async () => {
  const message = 'Cannot have more than 0 builds in queue for the account';
  await expect(failing('AccountLimitExceededException', 400, message)).rejects.toMatchObject({
    retry: true,
    detail:
      'AWS cannot start the build of 1.0.0-7 now: Cannot have more than 0 builds in queue for the account. ' +
      'Service Quotas in the console raises it: “Concurrently running builds for ARM Lambda/4GB environment” (L-72045165).',
  });
});

it('A refusal is told with the sentence of AWS, and too many calls are only tried again', async () => {
  await expect(failing('InvalidInputException', 400, 'No such project.')).rejects.toMatchObject({
    retry: false,
    detail: 'AWS refused the build of 1.0.0-7: No such project.',
  });
  await expect(failing('ThrottlingException', 400, 'Rate exceeded')).rejects.toMatchObject({
    retry: true,
    detail: 'AWS could not complete the build of 1.0.0-7; try again.',
  });
});
