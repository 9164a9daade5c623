"""Networks that Keras writes as ONNX: python keras_networks.py FOLDER [PART OF A NAME ...]"""

import os
import sys

os.environ["KERAS_BACKEND"] = "torch"
import keras
import numpy as np
import torch
from keras import layers as K

torch.set_num_threads(1)
keras.utils.set_random_seed(1)
I=keras.Input
def seq(*l): return keras.Sequential(list(l))
def towers():
    a=I((1,),name='a'); b=I((3,),name='b')
    y=K.Dense(3,activation='softmax')(K.Concatenate()([K.Dense(4,activation='relu')(a),K.Dense(5,activation='tanh')(b)]))
    return keras.Model([a,b],y)
def norm():
    n=K.Normalization(mean=[.5,-.2,1,0],variance=[4,.25,1,9])
    return seq(I((4,)),n,K.Dense(8,activation='relu'),K.Dense(6,activation='relu'),K.Dense(3,activation='softmax'))
def embedded():
    x=I((3,),name='x'); ids=I((1,),dtype='int64',name='item')
    v=K.Flatten()(K.Embedding(20,4)(ids))
    return keras.Model([x,ids],K.Dense(2,activation='softmax')(K.Dense(8,activation='relu')(K.Concatenate()([x,v]))))
cases={
 'keras_dense':lambda:seq(I((4,)),K.Dense(8,activation='relu'),K.Dense(6,activation='relu'),K.Dense(3,activation='softmax')),
 'keras_dropout':lambda:seq(I((4,)),K.Dense(8),K.ReLU(),K.Dropout(.3),K.Dense(6,activation='relu'),K.Dense(3)),
 'keras_binary':lambda:seq(I((4,)),K.Dense(8,activation='relu'),K.Dense(6,activation='relu'),K.Dense(1,activation='sigmoid')),
 'keras_target':lambda:seq(I((4,)),K.Dense(8,activation='relu'),K.Dense(6,activation='relu'),K.Dense(1)),
 'keras_batchnorm':lambda:seq(I((4,)),K.Dense(8),K.BatchNormalization(),K.Activation('relu'),K.Dense(3,activation='softmax')),
 'keras_normalization':norm,
 'keras_two_towers':towers,
 'keras_cnn':lambda:seq(I((8,8,1)),K.Conv2D(4,3,activation='relu'),K.MaxPooling2D(),K.Flatten(),K.Dense(8,activation='relu'),K.Dense(3,activation='softmax')),
 'keras_cnn_rescaled':lambda:seq(I((8,8,1)),K.Rescaling(1/2.),K.Conv2D(4,3,activation='relu'),K.MaxPooling2D(),K.Flatten(),K.Dense(8,activation='relu'),K.Dense(3,activation='softmax')),
 'keras_cnn_same':lambda:seq(I((8,8,1)),K.Conv2D(4,3,strides=2,padding='same',use_bias=False),K.BatchNormalization(),K.ReLU(),K.GlobalAveragePooling2D(),K.Dense(3,activation='softmax')),
 'keras_cnn_first':lambda:seq(I((1,8,8)),K.Conv2D(4,3,activation='relu',data_format='channels_first'),K.MaxPooling2D(data_format='channels_first'),K.Flatten(),K.Dense(8,activation='relu'),K.Dense(3,activation='softmax')),
 'keras_gelu':lambda:seq(I((4,)),K.Dense(8,activation='gelu'),K.Dense(3,activation='softmax')),
 'keras_gelu_tanh':lambda:seq(I((4,)),K.Dense(8),K.Activation(lambda x:keras.activations.gelu(x,approximate=True)),K.Dense(3,activation='softmax')),
 'keras_embedding':embedded,
 'keras_lstm':lambda:seq(I((12,)),K.Reshape((3,4)),K.Permute((2,1)),K.LSTM(5),K.Dense(2,activation='softmax')),
 'keras_gru':lambda:seq(I((12,)),K.Reshape((3,4)),K.Permute((2,1)),K.GRU(5),K.Dense(2,activation='softmax')),
}


def main(folder, parts):
    for name, make in cases.items():
        if parts and not any(part in name for part in parts):
            continue
        model = make()
        for layer in model.layers:
            if isinstance(layer, K.BatchNormalization):
                # Statistics as a trained network has them.
                r = np.random.RandomState(1)
                shape = layer.get_weights()[0].shape
                bounds = [(0.5, 1.5), (-0.3, 0.3), (-0.5, 0.5), (0.5, 2)]
                layer.set_weights([r.uniform(low, high, shape) for low, high in bounds])
        rows = [np.zeros((2,) + tuple(each.shape[1:]), each.dtype) for each in model.inputs]
        model(rows if len(rows) > 1 else rows[0])
        model.export(f"{folder}/{name}.keras.onnx", format="onnx", verbose=False)


main(sys.argv[1], sys.argv[2:])
