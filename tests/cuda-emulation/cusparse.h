// SPDX-License-Identifier: Apache-2.0
/* The part of cuSPARSE that the backend uses, on the host.
 *
 * A product is refused unless its matrix was prepared for it: by the call to ..._preprocess for the same descriptor,
 * kind and width, with the same working memory, which nobody wrote to since, and for the same structure. cuSPARSE
 * itself would be slow or wrong there. */
#ifndef EMULATED_CUSPARSE_H
#define EMULATED_CUSPARSE_H

#include <cuda_runtime.h>

enum cusparseStatus_t {
    CUSPARSE_STATUS_SUCCESS = 0,
    CUSPARSE_STATUS_ALLOC_FAILED = 2,
    CUSPARSE_STATUS_INVALID_VALUE = 3,
    CUSPARSE_STATUS_EXECUTION_FAILED = 6,
    CUSPARSE_STATUS_NOT_SUPPORTED = 10,
    CUSPARSE_STATUS_INSUFFICIENT_RESOURCES = 11,
};
enum cusparseOperation_t { CUSPARSE_OPERATION_NON_TRANSPOSE = 0, CUSPARSE_OPERATION_TRANSPOSE = 1 };
enum cusparseIndexType_t { CUSPARSE_INDEX_32I = 2 };
enum cusparseIndexBase_t { CUSPARSE_INDEX_BASE_ZERO = 0 };
enum cusparseOrder_t { CUSPARSE_ORDER_COL = 1, CUSPARSE_ORDER_ROW = 2 };
enum cusparseSpMMAlg_t { CUSPARSE_SPMM_CSR_ALG3 = 12 };
enum cusparseSDDMMAlg_t { CUSPARSE_SDDMM_ALG_DEFAULT = 0 };
enum cusparseAction_t { CUSPARSE_ACTION_NUMERIC = 1 };
enum cusparseCsr2CscAlg_t { CUSPARSE_CSR2CSC_ALG1 = 1 };

typedef struct emulated_sparse *cusparseHandle_t;
typedef struct emulated_csr *cusparseSpMatDescr_t;
typedef struct emulated_dense *cusparseDnMatDescr_t;

cusparseStatus_t cusparseCreate(cusparseHandle_t *handle);
cusparseStatus_t cusparseDestroy(cusparseHandle_t handle);
cusparseStatus_t cusparseSetStream(cusparseHandle_t handle, cudaStream_t stream);
const char *cusparseGetErrorString(cusparseStatus_t code);

cusparseStatus_t cusparseCreateCsr(cusparseSpMatDescr_t *matrix, int64_t rows, int64_t cols, int64_t nnz, void *offsets,
                                   void *ids, void *values, cusparseIndexType_t offset_type,
                                   cusparseIndexType_t id_type, cusparseIndexBase_t base, cudaDataType type);
cusparseStatus_t cusparseSpMatSetValues(cusparseSpMatDescr_t matrix, void *values);
cusparseStatus_t cusparseDestroySpMat(cusparseSpMatDescr_t matrix);
cusparseStatus_t cusparseCreateDnMat(cusparseDnMatDescr_t *matrix, int64_t rows, int64_t cols, int64_t ld, void *values,
                                     cudaDataType type, cusparseOrder_t order);
cusparseStatus_t cusparseDestroyDnMat(cusparseDnMatDescr_t matrix);

/* C = alpha op(A) op(B) + beta C */
cusparseStatus_t cusparseSpMM_bufferSize(cusparseHandle_t handle, cusparseOperation_t op_a, cusparseOperation_t op_b,
                                         const void *alpha, cusparseSpMatDescr_t a, cusparseDnMatDescr_t b,
                                         const void *beta, cusparseDnMatDescr_t c, cudaDataType type,
                                         cusparseSpMMAlg_t algorithm, size_t *bytes);
cusparseStatus_t cusparseSpMM_preprocess(cusparseHandle_t handle, cusparseOperation_t op_a, cusparseOperation_t op_b,
                                         const void *alpha, cusparseSpMatDescr_t a, cusparseDnMatDescr_t b,
                                         const void *beta, cusparseDnMatDescr_t c, cudaDataType type,
                                         cusparseSpMMAlg_t algorithm, void *buffer);
cusparseStatus_t cusparseSpMM(cusparseHandle_t handle, cusparseOperation_t op_a, cusparseOperation_t op_b,
                              const void *alpha, cusparseSpMatDescr_t a, cusparseDnMatDescr_t b, const void *beta,
                              cusparseDnMatDescr_t c, cudaDataType type, cusparseSpMMAlg_t algorithm, void *buffer);

/* C = alpha (op(A) op(B)) at the entries of C + beta C */
cusparseStatus_t cusparseSDDMM_bufferSize(cusparseHandle_t handle, cusparseOperation_t op_a, cusparseOperation_t op_b,
                                          const void *alpha, cusparseDnMatDescr_t a, cusparseDnMatDescr_t b,
                                          const void *beta, cusparseSpMatDescr_t c, cudaDataType type,
                                          cusparseSDDMMAlg_t algorithm, size_t *bytes);
cusparseStatus_t cusparseSDDMM_preprocess(cusparseHandle_t handle, cusparseOperation_t op_a, cusparseOperation_t op_b,
                                          const void *alpha, cusparseDnMatDescr_t a, cusparseDnMatDescr_t b,
                                          const void *beta, cusparseSpMatDescr_t c, cudaDataType type,
                                          cusparseSDDMMAlg_t algorithm, void *buffer);
cusparseStatus_t cusparseSDDMM(cusparseHandle_t handle, cusparseOperation_t op_a, cusparseOperation_t op_b,
                               const void *alpha, cusparseDnMatDescr_t a, cusparseDnMatDescr_t b, const void *beta,
                               cusparseSpMatDescr_t c, cudaDataType type, cusparseSDDMMAlg_t algorithm, void *buffer);

/* The columns of a CSR matrix with m rows and n columns, the entries of each ascending by row. */
cusparseStatus_t cusparseCsr2cscEx2_bufferSize(cusparseHandle_t handle, int m, int n, int nnz, const void *values,
                                               const int *offsets, const int *ids, void *to_values, int *to_offsets,
                                               int *to_ids, cudaDataType type, cusparseAction_t action,
                                               cusparseIndexBase_t base, cusparseCsr2CscAlg_t algorithm, size_t *bytes);
cusparseStatus_t cusparseCsr2cscEx2(cusparseHandle_t handle, int m, int n, int nnz, const void *values,
                                    const int *offsets, const int *ids, void *to_values, int *to_offsets, int *to_ids,
                                    cudaDataType type, cusparseAction_t action, cusparseIndexBase_t base,
                                    cusparseCsr2CscAlg_t algorithm, void *buffer);

#endif
