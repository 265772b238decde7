import { booleanOption, choiceOption, type OptionTable, pathOption, textOption } from '../option.ts'

const TLS = 'TLS'

const enabled = (name: string, where: string) =>
  booleanOption({ name, group: TLS, fallback: false, description: `Serve ${where} over TLS 1.2 and 1.3` })

const certificate = (name: string, where: string) =>
  pathOption({
    name,
    group: TLS,
    fallback: undefined,
    description: `PEM file of the certificate of ${where}, followed by those of its issuers`,
  })

const key = (name: string, where: string) =>
  pathOption({
    name,
    group: TLS,
    fallback: undefined,
    description: `PEM file of the private key of ${where}`,
  })

const keystore = (name: string, where: string) =>
  pathOption({
    name,
    group: TLS,
    fallback: undefined,
    description: `PKCS#12 file with certificate and key of ${where}, instead of the two PEM files`,
  })

const password = (name: string) =>
  pathOption({
    name,
    group: TLS,
    fallback: undefined,
    description: 'File whose first line is the password of that PKCS#12 file',
  })

const clientAuth = (name: string, where: string) =>
  booleanOption({
    name,
    group: TLS,
    fallback: false,
    description: `Require a certificate from each client of ${where}`,
  })

const authorities = (name: string) =>
  pathOption({
    name,
    group: TLS,
    fallback: undefined,
    description: 'PEM file of the authorities that issue the certificates of clients',
  })

const HTTP = 'JSON-RPC over HTTP'
const WS = 'JSON-RPC over WebSocket'
const GRAPHQL = 'GraphQL'

/** TLS of JSON-RPC over HTTP. */
export const HTTP_TLS_OPTIONS = {
  rpcHttpTlsEnabled: enabled('rpc-http-tls-enabled', HTTP),
  rpcHttpTlsCertFile: certificate('rpc-http-tls-cert-file', HTTP),
  rpcHttpTlsKeyFile: key('rpc-http-tls-key-file', HTTP),
  rpcHttpTlsKeystoreFile: keystore('rpc-http-tls-keystore-file', HTTP),
  rpcHttpTlsKeystorePasswordFile: password('rpc-http-tls-keystore-password-file'),
  rpcHttpTlsClientAuthEnabled: clientAuth('rpc-http-tls-client-auth-enabled', HTTP),
  rpcHttpTlsTrustcertFile: authorities('rpc-http-tls-trustcert-file'),
  rpcHttpTlsCaClientsEnabled: booleanOption({
    name: 'rpc-http-tls-ca-clients-enabled',
    group: TLS,
    fallback: false,
    description: 'Also accept client certificates of the authorities that the runtime trusts',
  }),
} satisfies OptionTable

/** TLS of JSON-RPC over WebSocket. */
export const WS_TLS_OPTIONS = {
  rpcWsSslEnabled: enabled('rpc-ws-ssl-enabled', WS),
  rpcWsSslCertFile: certificate('rpc-ws-ssl-cert-file', WS),
  rpcWsSslKeyFile: key('rpc-ws-ssl-key-file', WS),
  rpcWsSslKeystoreFile: keystore('rpc-ws-ssl-keystore-file', WS),
  rpcWsSslKeystorePasswordFile: password('rpc-ws-ssl-keystore-password-file'),
  rpcWsSslKeystorePassword: textOption({
    name: 'rpc-ws-ssl-keystore-password',
    group: TLS,
    fallback: undefined,
    placeholder: '<PASSWORD>',
    description: 'That password itself; a file keeps it out of the list of processes',
  }),
  rpcWsSslKeystoreType: choiceOption({
    name: 'rpc-ws-ssl-keystore-type',
    group: TLS,
    fallback: 'PKCS12',
    choices: ['PKCS12', 'PEM', 'JKS'],
    placeholder: '<TYPE>',
    description: 'Type of that file; a JKS file must be converted to PKCS12',
  }),
  rpcWsSslClientAuthEnabled: clientAuth('rpc-ws-ssl-client-auth-enabled', WS),
  rpcWsSslTrustcertFile: authorities('rpc-ws-ssl-trustcert-file'),
} satisfies OptionTable

/** TLS of GraphQL. */
export const GRAPHQL_TLS_OPTIONS = {
  graphqlTlsEnabled: enabled('graphql-tls-enabled', GRAPHQL),
  graphqlTlsCertFile: certificate('graphql-tls-cert-file', GRAPHQL),
  graphqlTlsKeyFile: key('graphql-tls-key-file', GRAPHQL),
  graphqlTlsKeystoreFile: keystore('graphql-tls-keystore-file', GRAPHQL),
  graphqlTlsKeystorePasswordFile: password('graphql-tls-keystore-password-file'),
  graphqlMtlsEnabled: clientAuth('graphql-mtls-enabled', GRAPHQL),
  graphqlTlsTrustcertFile: authorities('graphql-tls-trustcert-file'),
} satisfies OptionTable
