import { CfnElement, Duration, RemovalPolicy, SecretValue, Stack, Validations } from 'aws-cdk-lib';
import { AttributeType, ProjectionType, StreamViewType, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Key } from 'aws-cdk-lib/aws-kms';
import { BlockPublicAccess, Bucket, BucketEncryption } from 'aws-cdk-lib/aws-s3';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';

/** The stores of the service: the log, tarballs between stages, keys and secrets. */
export class Stores extends Construct {
  /** Everything that outlives a request: entries, changes, leases, encrypted tokens. */
  readonly log: TableV2;
  /** The deliveries as received, apart from the log, whose stream carries every item. */
  readonly payloads: TableV2;
  /** Tarballs between the repository host and the platform. */
  readonly tarballs: Bucket;
  /** Encrypts the tokens of repository hosts. */
  readonly tokenKey: Key;
  /** The secrets that webhooks are signed with; empty until an operator fills it. */
  readonly hookSecrets: Secret;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.log = logTable(this);
    // No function reads payloads: they are for an operator who asks what a sender has sent.
    const expires = 'Every item expires after 30 days, and nothing that the service does depends on it.';
    this.payloads = expiringTable(this, 'Payloads', expires);
    this.tarballs = tarballBucket(this);
    this.tokenKey = tokenKey(this);
    this.hookSecrets = hookSecrets(this);
  }
}

/**
 * Encrypted with DynamoDB's own key: with a key of the stack every function would need `kms:Decrypt`, and only those
 * that call repository hosts should have it. What is secret in the table is encrypted before it is written.
 */
function logTable(scope: Construct): TableV2 {
  return new TableV2(scope, 'Log', {
    partitionKey: { name: 'pk', type: AttributeType.STRING },
    sortKey: { name: 'sk', type: AttributeType.STRING },
    timeToLiveAttribute: 'expires',
    dynamoStream: StreamViewType.NEW_IMAGE,
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    deletionProtection: true,
    removalPolicy: RemovalPolicy.RETAIN,
    globalSecondaryIndexes: [
      {
        indexName: 'byApp',
        partitionKey: { name: 'app_pk', type: AttributeType.STRING },
        sortKey: { name: 'app_sk', type: AttributeType.STRING },
        projectionType: ProjectionType.KEYS_ONLY,
      },
      {
        // Sparse: only entries that the sweep may have to end or repeat have these attributes.
        indexName: 'byDue',
        partitionKey: { name: 'due_pk', type: AttributeType.STRING },
        sortKey: { name: 'due_at', type: AttributeType.NUMBER },
        projectionType: ProjectionType.KEYS_ONLY,
      },
    ],
  });
}

/** Returns a table whose items all expire, which needs no backup for that reason. */
export function expiringTable(scope: Construct, id: string, reason: string): TableV2 {
  const table = new TableV2(scope, id, {
    partitionKey: { name: 'pk', type: AttributeType.STRING },
    sortKey: { name: 'sk', type: AttributeType.STRING },
    timeToLiveAttribute: 'expires',
    removalPolicy: RemovalPolicy.DESTROY,
  });
  Validations.of(table).acknowledge({ id: 'AwsSolutions-DDB3', reason });
  return table;
}

/**
 * Nothing in it has to be kept: an expired tarball is fetched again. The lifecycle rules delete what the functions
 * leave. It is retained only because CloudFormation cannot delete a bucket that holds objects;
 * a first deploy that fails takes it along.
 */
function tarballBucket(scope: Construct): Bucket {
  const bucket = new Bucket(scope, 'Tarballs', {
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    enforceSSL: true,
    encryption: BucketEncryption.S3_MANAGED,
    removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    lifecycleRules: [{ expiration: Duration.days(2), abortIncompleteMultipartUploadAfter: Duration.days(1) }],
  });
  Validations.of(bucket).acknowledge({
    id: 'AwsSolutions-S1',
    reason: 'Only two functions reach the bucket and the log has each of their steps; the objects live two days.',
  });
  return bucket;
}

function tokenKey(scope: Construct): Key {
  return new Key(scope, 'TokenKey', {
    description: 'Seals tokens of repository hosts and variables of applications; encrypts alarms on their way',
    enableKeyRotation: true,
    // Without the key every stored token is lost.
    removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  });
}

/** An operator's value is kept: CloudFormation sets the value again only when it changes in the template. */
function hookSecrets(scope: Construct): Secret {
  const secret = new Secret(scope, 'HookSecrets', {
    description: 'Secrets that webhooks are signed with: {"<user>/<owner>/<repository>": {"github": ["<secret>"]}}',
    secretStringValue: SecretValue.unsafePlainText('{}'),
  });
  Validations.of(secret).acknowledge({
    id: 'AwsSolutions-SMG4',
    reason: 'Each sender must learn a new secret as well, so they are replaced by hand, two holding at a time.',
  });
  return secret;
}

/** Returns a bucket's name within the template, as cdk-nag's findings spell it. */
export function logicalId(bucket: Bucket): string {
  const resource = bucket.node.defaultChild;
  if (!CfnElement.isCfnElement(resource)) throw new Error('The bucket has no resource in the template.');
  return Stack.of(bucket).getLogicalId(resource);
}
