import { expect, it } from 'vitest';
import { serviceTemplate } from '../../../support/template/service-template.ts';

const { ofType } = serviceTemplate();

/** What CloudFormation would replace, with its data or its address, if its logical id changed. */
const STATEFUL = [
  'AWS::DynamoDB::GlobalTable',
  'AWS::S3::Bucket',
  'AWS::KMS::Key',
  'AWS::SecretsManager::Secret',
  'AWS::SQS::Queue',
  'AWS::SNS::Topic',
  'AWS::ApiGateway::RestApi',
  // With another id, an update would make a second stage of the same name, which is refused.
  'AWS::ApiGateway::Stage',
  'AWS::ApiGatewayV2::Api',
];

it('The logical ids of stateful resources do not change, because that would replace them in deployed stacks', () => {
  const ids = Object.fromEntries(
    STATEFUL.map((type) => [
      type,
      ofType(type)
        .map(({ id }) => id)
        .sort(),
    ]),
  );
  expect(ids).toEqual({
    'AWS::DynamoDB::GlobalTable': [
      'AppsTable24ADC5F8',
      'ChangesConnections7BE975D3',
      'StoresLog529A5ACD',
      'StoresPayloads3122DBBB',
    ],
    'AWS::S3::Bucket': ['AppsBucket5E7A247B', 'StoresTarballs7B4AB13A'],
    'AWS::KMS::Key': ['StoresTokenKey040FB1CF'],
    'AWS::SecretsManager::Secret': ['StoresHookSecrets4FF3A4A8'],
    'AWS::SQS::Queue': [
      'ChangesFailuresC52AD7D2',
      'Queuescheck45AA7D88',
      'Queuesextract377EFDB1',
      'Queuesfetch37C1DBEA',
      'Queuesreport7F0C4826',
      'Queuesreportdead0611D7C1',
      'Queuesstagesdead0C98B46C',
      'QueuesstartFCF10699',
      'Queuesupload140024CC',
    ],
    'AWS::SNS::Topic': ['AlarmsTopic3A2DFEBA'],
    'AWS::ApiGateway::RestApi': ['ApiRest4DEC74FE'],
    'AWS::ApiGateway::Stage': ['ApiRestDeploymentStagelive3BEBAE0C'],
    'AWS::ApiGatewayV2::Api': ['ChangesInsideApi2D9B2CFD', 'ChangesOutsideApi75537028'],
  });
});
