"""scikit-learn's models in the form that skl2onnx writes: python scikit_learn.py FOLDER

Also quantized networks, and arrays in other places. Run pytorch.py with the same folder before.
"""

import sys, numpy as np, warnings; warnings.filterwarnings('ignore')
import onnx
from onnx import helper as h, numpy_helper as nh, TensorProto as T
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.linear_model import LogisticRegression
out=sys.argv[1]
r=np.random.RandomState(1); X=r.randn(200,4); 
def save(name,nodes,inits,outs):
    g=h.make_graph(nodes,'g',[h.make_tensor_value_info('X',T.FLOAT,[None,4])],outs,[nh.from_array(v,k) for k,v in inits.items()])
    m=h.make_model(g,producer_name='skl2onnx',opset_imports=[h.make_opsetid('',17),h.make_opsetid('ai.onnx.ml',3)],ir_version=8)
    onnx.checker.check_model(m); onnx.save(m,f'{out}/{name}.skl2onnx.onnx')
def mlp(name,m,classes):
    nodes=[h.make_node('Cast',['X'],['cast_input'],'Cast',to=T.FLOAT)]; inits={}; last='cast_input'
    n=len(m.coefs_)
    for i,(w,b) in enumerate(zip(m.coefs_,m.intercepts_)):
        s=str(i) if i else ''
        inits['coefficient'+s]=w.astype(np.float32); inits['intercepts'+s]=b.astype(np.float32).reshape(1,-1)
        nodes+= [h.make_node('MatMul',[last,'coefficient'+s],['mul_result'+s],'MatMul'+s),h.make_node('Add',['mul_result'+s,'intercepts'+s],['add_result'+s],'Add'+s)]
        last='add_result'+s
        if i<n-1:
            nodes.append(h.make_node('Relu',[last],['next_activations'+s],'Relu'+s)); last='next_activations'+s
    if classes is None:
        inits['shape_tensor']=np.array([-1,1],np.int64)
        nodes.append(h.make_node('Reshape',[last,'shape_tensor'],['variable'],'Reshape'))
        save(name,nodes,inits,[h.make_tensor_value_info('variable',T.FLOAT,[None,1])]); return
    if len(classes)==2:
        inits['unity']=np.array([1],np.float32)
        nodes+= [h.make_node('Sigmoid',[last],['out_activations_result'],'Sigmoid'),h.make_node('Sub',['unity','out_activations_result'],['negative_class_proba'],'Sub'),h.make_node('Concat',['negative_class_proba','out_activations_result'],['probabilities'],'Concat',axis=1)]
    else:
        nodes.append(h.make_node('Softmax',[last],['probabilities'],'Softmax',axis=1))
    inits['classes']=np.array(classes,np.int32); inits['shape_tensor']=np.array([-1],np.int64)
    nodes+= [h.make_node('ArgMax',['probabilities'],['argmax_output'],'ArgMax',axis=1),
      h.make_node('ArrayFeatureExtractor',['classes','argmax_output'],['array_feature_extractor_result'],'ArrayFeatureExtractor',domain='ai.onnx.ml'),
      h.make_node('Reshape',['array_feature_extractor_result','shape_tensor'],['reshaped_result'],'Reshape'),
      h.make_node('Cast',['reshaped_result'],['label'],'Cast2',to=T.INT64)]
    save(name,nodes,inits,[h.make_tensor_value_info('label',T.INT64,[None]),h.make_tensor_value_info('probabilities',T.FLOAT,[None,len(classes)])])
y3=(X[:,0]>0).astype(int)+(X[:,1]>0); y2=(X[:,0]>0).astype(int)
mlp('sklearn_classifier',MLPClassifier(hidden_layer_sizes=(8,6),max_iter=20,random_state=1).fit(X,y3),[0,1,2])
mlp('sklearn_binary',MLPClassifier(hidden_layer_sizes=(8,),max_iter=20,random_state=1).fit(X,y2),[0,1])
mlp('sklearn_regressor',MLPRegressor(hidden_layer_sizes=(8,),max_iter=20,random_state=1).fit(X,X[:,0]),None)
def logistic(name,m,post):
    c=m.coef_; b=m.intercept_; k=len(m.classes_)
    if k==2: c=np.vstack([-c,c]); b=np.concatenate([-b,b])
    nodes=[h.make_node('LinearClassifier',['X'],['label','probability_tensor'],'LinearClassifier',domain='ai.onnx.ml',classlabels_ints=list(map(int,m.classes_)),coefficients=c.ravel().tolist(),intercepts=b.tolist(),multi_class=1,post_transform=post),
      h.make_node('Normalizer',['probability_tensor'],['probabilities'],'Normalizer',domain='ai.onnx.ml',norm='L1')]
    save(name,nodes,{},[h.make_tensor_value_info('label',T.INT64,[None]),h.make_tensor_value_info('probabilities',T.FLOAT,[None,k])])
logistic('sklearn_logistic',LogisticRegression().fit(X,y2),'LOGISTIC')
logistic('sklearn_multinomial',LogisticRegression().fit(X,y3),'SOFTMAX')
# quantized and other forms
from onnxruntime.quantization import quantize_dynamic, quantize_static, CalibrationDataReader, QuantFormat
base=f'{out}/sklearn_classifier.skl2onnx.onnx'
quantize_dynamic(base,f'{out}/quantized.dynamic.onnx')
class R(CalibrationDataReader):
    def __init__(s): s.i=iter([{'X':X[i:i+1].astype(np.float32)} for i in range(20)])
    def get_next(s): return next(s.i,None)
quantize_static(base,f'{out}/quantized.qdq.onnx',R(),quant_format=QuantFormat.QDQ)
# weights as Constant nodes, behind Identity, in half precision with a Cast, and in another file
import os, glob
src=f'{out}/mlp_relu.dynamo.onnx'
def variant(name,f,src=src,**kw):
    m=onnx.load(src); f(m); onnx.save(m,f'{out}/{name}.onnx',**kw)
def constants(m):
    new=[h.make_node('Constant',[],[i.name],value=i) for i in m.graph.initializer]; del m.graph.initializer[:]
    old=list(m.graph.node); del m.graph.node[:]; m.graph.node.extend(new+old)
def identities(m):
    new=[]
    for i in m.graph.initializer:
        new.append(h.make_node('Identity',[i.name+'.raw'],[i.name])); i.name+='.raw'
    old=list(m.graph.node); del m.graph.node[:]; m.graph.node.extend(new+old)
def halves(m):
    new=[]
    for i in list(m.graph.initializer):
        if i.data_type==T.FLOAT:
            a=nh.to_array(i).astype(np.float16); m.graph.initializer.remove(i); m.graph.initializer.append(nh.from_array(a,i.name+'.16')); new.append(h.make_node('Cast',[i.name+'.16'],[i.name],to=T.FLOAT))
    old=list(m.graph.node); del m.graph.node[:]; m.graph.node.extend(new+old)
variant('mlp_relu.constants',constants); variant('mlp_relu.identities',identities); variant('mlp_relu.halfweights',halves)
variant('mlp_relu.external',lambda m:None,save_as_external_data=True,location='mlp_relu.external.data',size_threshold=0)
