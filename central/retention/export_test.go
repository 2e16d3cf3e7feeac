// Names of the package for its tests.

package retention

const EntryVersion = entryVersion
const MaxLines = maxLines
const PartSuffix = partSuffix
const PurgeRows = purgeRows
const ShrinkRows = shrinkRows
const Suffix = suffix
const SumSuffix = sumSuffix
