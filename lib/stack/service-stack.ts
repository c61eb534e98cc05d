import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CfnOutput, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Asset } from 'aws-cdk-lib/aws-s3-assets';
import type { Construct } from 'constructs';
import { lacks } from '../../functions/adapters/aws/regions.ts';
import { Alarms } from './alarms/alarms.ts';
import { Api } from './api/api.ts';
import { AppsPlatform } from './apps/apps-platform.ts';
import { Changes } from './changes.ts';
import { Budget, Firewall } from './options.ts';
import { parameters } from './parameters.ts';
import { Pipeline } from './pipeline.ts';
import { Queues } from './queues.ts';
import { Stores } from './stores.ts';

interface ServiceStackProps extends StackProps {
  /** Folder that holds a folder `<name>/index.mjs` per function, as `bundle` writes it. */
  readonly bundles: string;
  /** Where it is deployed to, so that it has only what is there; default: it has everything. */
  readonly region?: string | undefined;
}

/**
 * The whole service. A webhook call passes from the API through the queues and stages into the log; readers read the
 * log and are notified when it changes.
 */
export class ServiceStack extends Stack {
  constructor(scope: Construct, id: string, { bundles, region, ...props }: ServiceStackProps) {
    super(scope, id, props);
    const settings = parameters(this);
    const stores = new Stores(this, 'Stores');
    const queues = new Queues(this, 'Queues');
    const apps = new AppsPlatform(this, 'Apps', stores.tokenKey);
    const logGroup = functionLog(this);
    const parts = { bundles, logGroup, parameters: settings, stores, queues, apps };
    const pipeline = new Pipeline(this, 'Pipeline', parts);
    const changes = new Changes(this, 'Changes', parts);
    const api = new Api(this, 'Api', { ...parts, changes });
    changes.attachClients(api);
    const { topic } = new Alarms(this, 'Alarms', {
      parameters: settings,
      logGroup,
      stores,
      queues,
      pipeline,
      api,
      changes,
    });

    new Firewall(this, 'RequestFirewall', api.rest, settings);
    if (!lacks(region, 'AWS::Budgets::Budget')) new Budget(this, 'Budget', settings);

    const outputs = {
      ApiUrl: [api.rest.url, 'Address for webhooks and status queries'],
      SignalsUrl: [changes.clients.stage.url, 'Address of the WebSocket that announces changes'],
      LogTable: [stores.log.tableName, 'Table of the log'],
      PayloadTable: [
        stores.payloads.tableName,
        'Table of the deliveries as received, by user and the uuid of the request',
      ],
      ManageUsers: [pipeline.manageUsers.functionName, 'Function that adds users and makes API tokens'],
      AlarmTopic: [
        topic.topicArn,
        'Topic of the alarms; without AlarmEmail nobody hears of them until somebody subscribes',
      ],
      FunctionLog: [logGroup.logGroupName, 'Log group of all functions'],
      HookSecrets: [stores.hookSecrets.secretArn, 'Secret with the secrets that webhooks are signed with'],
    } as const;
    for (const [id, [value, description]] of Object.entries(outputs)) new CfnOutput(this, id, { value, description });
    keepSourceMaps(this, join(bundles, 'maps'));
  }
}

/**
 * One log group for all functions. The names of their streams contain those of the functions.
 * https://docs.aws.amazon.com/lambda/latest/dg/monitoring-cloudwatchlogs-loggroups.html
 */
function functionLog(stack: Stack): LogGroup {
  return new LogGroup(stack, 'Logs', { retention: RetentionDays.ONE_MONTH, removalPolicy: RemovalPolicy.DESTROY });
}

/**
 * Stores the source maps of its bundles beside them, in the bucket of the CDK: with those of another
 * version a stack trace cannot be read. A stack that only runs on this machine has none.
 */
function keepSourceMaps(stack: Stack, maps: string): void {
  if (!existsSync(maps)) return;
  const { s3ObjectUrl } = new Asset(stack, 'SourceMapsAsset', { path: maps });
  new CfnOutput(stack, 'SourceMaps', {
    value: s3ObjectUrl,
    description: 'Archive with the source maps of the functions that run',
  });
}
