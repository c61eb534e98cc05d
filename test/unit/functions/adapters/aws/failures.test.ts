import { expect, it } from 'vitest';
import { onAws } from '../../../../../functions/adapters/aws/failures.ts';
import { QUOTAS } from '../../../../../functions/adapters/aws/quotas.ts';
import { AwsError } from '../../../../fakes/aws-error.ts';

function failing(name: string, status: number, message: string, Reason?: string) {
  return onAws('deploy:tar:extract_failed', 'the build of 1.0.0-7', async () => {
    throw Object.assign(new AwsError(name, status, message), { Reason });
  });
}

const NO_BUILDS = 'Cannot have more than 0 builds in queue for the account';
const ONE_BUILD = 'Cannot have more than 1 builds in queue for the account';
const TEN_BUILDS = 'Cannot have more than 10 builds in queue for the account';

it.each([
  ['AccountLimitExceededException', NO_BUILDS, QUOTAS.buildsOnLambda],
  ['AccountLimitExceededException', ONE_BUILD, QUOTAS.buildsOnLambda],
  ['AccountLimitExceededException', TEN_BUILDS, QUOTAS.buildsOnLambda],
  ['CodeStorageExceededException', 'Code storage limit exceeded.', QUOTAS.codeStorage],
  ['LimitExceededException', 'Resource limit exceeded.', QUOTAS.logGroups],
])(
  'A quota that is reached is told with the sentence, the name, the code and the link, and tried again where a build may end: %s, %s',
  async (name, said, quota) => {
    await expect(failing(name, 400, said)).rejects.toMatchObject({
      retry: said === ONE_BUILD || said === TEN_BUILDS,
      detail:
        `AWS cannot complete the build of 1.0.0-7 now: ${said.replace(/\.$/, '')}. ` +
        `Request more of “${quota.name}” (${quota.code}): ` +
        `https://console.aws.amazon.com/servicequotas/home/services/${quota.service}/quotas/${quota.code}`,
    });
  },
);

it.each([
  ['ConcurrentInvocationLimitExceeded', QUOTAS.concurrency],
  ['CallerRateLimitExceeded', QUOTAS.controlPlane],
])('Too many requests to Lambda are about the quota that its reason names: %s', async (reason, { code }) => {
  const detail = expect.stringMatching(new RegExp(`Rate Exceeded\\. .*\\(${code}\\)`));
  await expect(failing('TooManyRequestsException', 429, 'Rate Exceeded.', reason)).rejects.toMatchObject({
    retry: true,
    detail,
  });
});

it('Builds in containers have a quota of their own', async () => {
  const call = async () => {
    throw new AwsError('AccountLimitExceededException', 400);
  };
  const failure = onAws('deploy:tar:extract_failed', 'the build', call, QUOTAS.buildsInContainers);
  await expect(failure).rejects.toMatchObject({
    detail: expect.stringContaining('Linux/Small environment” (L-9D07B6EF)'),
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
