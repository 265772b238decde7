/** Published and derived QBFT messages, as hex without prefix. */

/** Messages about block 1 (`BLOCK_ONE`), signed by its validators: signing digests, sizes, and bytes or their keccak. */
export const SIGNED = {
  prepare: {
    digest: '917e177614d68ccd1bfa2f06043b393e170fa6baea471ad9dd9b8797ff3eef66',
    bytes:
      'f867e30180a0d6215fe40884cf369a30429606187be0db62e8922382709730e6c528f373560fb84158a87d295fb381ae67b783a7870615a3dcc1e1cb4a973525dfeabf3949edd52b736d44530f227ed76b9665b793f3791f463b88f5dc6b7768fd9964ce0aa45a8a00',
  },
  commit: {
    digest: 'aa2606508da474be390785f61688da3f77f80a10aba4fd25f697e16c75eeccc1',
    bytes:
      'f8abf8660180a0d6215fe40884cf369a30429606187be0db62e8922382709730e6c528f373560fb84100752052ac9f9dabecd41275fdb2c369d6d0ea2895088dcc2d08b89b364921fb03385ea738bec3fec58a19f45c10009cf7a7f51663a3997504a8d619d524b83200b841444617b7947a5930cb1e6f4e73b5edae6113b2841464e744bc54441f58a9093b38d8905746bbaf3a3e0943623e324b28fabcc467ab04a3fb300b7eb6eb3e10fa00',
  },
  unpreparedRoundChange: {
    digest: '834d3ecc779a1fe0ecb76fde2b3c50a8d549fb838f4b5469ad0a52565c94b3ce',
    legacy:
      'f84bf847c30101c0b841cb9e02be5067679f05dad9fc729b4f06417dade8b5a77997d8f983fd1681e9094bbea205f2796c5eada09b3b45053e059f740fd9ce9c4f4d187a7b3fc3a9e12e01c0c0',
    blockAccessList:
      'f84cf847c30101c0b841cb9e02be5067679f05dad9fc729b4f06417dade8b5a77997d8f983fd1681e9094bbea205f2796c5eada09b3b45053e059f740fd9ce9c4f4d187a7b3fc3a9e12e01c080c0',
  },
  preparedRoundChange: {
    digest: '79858831551fe782be99e68cb0fc45c85cfa56e4ba0a03ced83a0fd7f7af485b',
    legacy: { length: 1061, keccak: 'e17a894b7a41f2ec3324167bcbf3ab5728643a605ed11c8932540a2388cb5b8d' },
    blockAccessList: {
      length: 1062,
      keccak: '4152e1ad96677a236a08dde7823655fd7bab2c43def0c6734682a5a16df3b401',
    },
  },
  firstProposal: {
    legacy: {
      digest: '837c5f4d709fd347932313cc8ec169b7337d9940cbc7d3444c497f459e179e8a',
      length: 714,
      keccak: '55b12035d32fd9370acdb08d6e26f5e8e26bedd3a547a37a41fbcc71c9cfccdd',
    },
    blockAccessList: {
      digest: '75d9c33c8230b3117c3ada4955e4a65c63af05d28f515caa58f53e74ccb104f2',
      length: 715,
      keccak: '37af432509a23151ed5db8b46e41935fe936368763e64b85c669f61892ca6b07',
    },
  },
  newProposal: {
    legacy: {
      digest: 'b2fafe3fff8b799bf5f6b6707b54141b9eb15502d28cbf16c5833d24ddbf251a',
      length: 935,
      keccak: '076284058b72a54cf466b3e04fa965cc38fd10ad13bb011fb89b8d99e013072f',
    },
    blockAccessList: {
      digest: '8feddc47ff8b0402e39656a4529b74ee2a31fc99df2ee452743997d906fcc933',
      length: 936,
      keccak: '4908ed10fa030f427c1c4b230b3d37cd6654511db66fce3ec166d13f0f8bd78c',
    },
  },
  secondProposal: {
    legacy: {
      digest: '6b7d592f4609f548fc5fd201a281531d8a6106a426b6478992a4051ec1699fe9',
      length: 1356,
      keccak: '41e6c9a04b0dca58e75898fcf093770c84b5014c7cff1533e579426e60eae574',
    },
    blockAccessList: {
      digest: '15e9824503795cc5471369efb4023b7689a4c4320eb634d920e0f58c1d0a5268',
      length: 1357,
      keccak: '571d610ac441b298c8651da123fe22bd4d622c14ec294d7e5451c42929a9b641',
    },
    proposalDigest: 'f416fe23cab3e12973de81885bb3b6dcec1a1ff7d00da394700958a0ac73db0b',
  },
} as const

const DIGEST = '641c42a09c96374e2fb362ecd573d24e832e6a2b4ef155257ab362415a0b88a4'
const PREPARE_SIGNATURE =
  'b841443dbefb34b6ad272d12214de75d723fe6ab6d544309b99c162c9617ccd7f54357e9c54d04fb951a394903212392db407c0d6939401afdb15fc0e47aa77471be01'
const PREPARED_SIGNATURE =
  'b841c41dec66755711d9ca9ca29786062282682609b590afcf99f19e87a6afd6ccd903339c61498c82361e781a8a266332caf8cefa4c7e5dcb2579f3bbb92c44485201'
const PROPOSAL_SIGNATURE =
  'b84157f0d6948e2740b120480e9da2aa718e14669bf2e56d150790f737ff7fac5bf2168eafd5dfe7e3600af1e015f11b5995179a16c3fa4f91c6f9e09df8b3546c3401'
const PREPARE = `f867e30180a0${DIGEST}${PREPARE_SIGNATURE}`
const PREPARED = `f869e50180e280a0${DIGEST}${PREPARED_SIGNATURE}`
const BLOCK = `f90231f9022ca052268a7cb7f95951400653c6670c1ec23b4515ecb057ec8c771af84ee7175bb3a01dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d4934794d09d559810bff66602d945c5d2956d12c3dbd584${'a056e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'.repeat(3)}b90100${'00'.repeat(256)}01018213888064b83cf83aa00000000000000000000000000000000000005162667420496e74207465737473d594d09d559810bff66602d945c5d2956d12c3dbd584c080c0a063746963616c2062797a616e74696e65206661756c7420746f6c6572616e6365880000000000000000c0c0`
const PROPOSAL = `f9027cf902360180f90231${BLOCK.slice(6)}${PROPOSAL_SIGNATURE}`

/**
 * The messages of the EEA's QBFT tests (qbft-tests, `MessageRLPTests`), by code. Only their form is of use: the outer
 * signatures were made by an earlier rule, and each recovers to a different key.
 */
export const OFFICIAL: readonly (readonly [name: string, code: number, length: number, bytes: string])[] = [
  ['prepare', 0x13, 105, PREPARE],
  [
    'commit',
    0x14,
    173,
    `f8abf8660180a0${DIGEST}b8418a28202c18e9fd3b5b3ba8ae6ffe2655385bf02a0fab8fe6b7e86f2cf5a10ca52990c4e305aedf312963ef2c901c670cbcabc584b2be5eef84e072cfa61bf45f00b84100a43c05bb63b30369a9cc57725935085e5b56403a715803855609a7f2bb7c6e76cf5677c36af0adf40cc9243f0afa9401f47f6ad958d9bdc2625ffcc402f5bf01`,
  ],
  [
    'round change, nothing prepared',
    0x15,
    77,
    'f84bf847c30180c0b8418c3c38d9e33b66d57523d4609bee0edfacdee3dfbcdce6e16bea788e9aed7839648ebdeda0c441535a2133500de53fe3aaf4baf6a754bcf834c839f49754b55601c0c0',
  ],
  ['round change with block and prepare', 0x15, 781, `f9030a${PREPARED}${BLOCK}f869${PREPARE}`],
  ['proposal without justification', 0x12, 645, `f90282${PROPOSAL}c2c0c0`],
  ['proposal with justification', 0x12, 860, `f90359${PROPOSAL}f8d8f86b${PREPARED}f869${PREPARE}`],
]

/** The signer of the commit seal of the official commit over its bare digest. */
export const OFFICIAL_SEALER = 'd09d559810bff66602d945c5d2956d12c3dbd584'

/** Forms of earlier revisions of the same file, which no node writes now. */
export const STALE: readonly (readonly [name: string, code: number, bytes: string])[] = [
  ['integers of a fixed width', 0x13, `f873ef8800000000000000018400000000a0${DIGEST}${PREPARE_SIGNATURE}`],
  [
    'prepared metadata with the digest first',
    0x15,
    `f9030af869e50180e2a0${DIGEST}80${PREPARED_SIGNATURE}${BLOCK}f869${PREPARE}`,
  ],
  [
    'an empty string for no block',
    0x15,
    'f84bf847c30180c0b8418c3c38d9e33b66d57523d4609bee0edfacdee3dfbcdce6e16bea788e9aed7839648ebdeda0c441535a2133500de53fe3aaf4baf6a754bcf834c839f49754b5560180c0',
  ],
]
